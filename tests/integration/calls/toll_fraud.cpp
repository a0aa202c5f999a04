// S7: a tenant has one number on its whitelist, and another one is tried in 500 disguises, in every way that
// leads to a trunk.
#include <doctest/doctest.h>
#include <patchbay/hex.h>
#include <patchbay/json.h>
#include <patchbay/service.h>
#include <patchbay/services/telephony.h>
#include <patchbay/utc.h>

#include <algorithm>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "call_server.h"
#include "crypto/digest.h"
#include "disguised_numbers.h"
#include "number/number.h"
#include "plugins/sip-trunk/raw_peer.h"
#include "runtime/manual_clock.h"
#include "support/gemini_server.h"
#include "support/probe_requests.h"

using namespace patchbay;
using namespace patchbay::test;
using namespace std::chrono_literals;
using support::GeminiScript;
using support::GeminiServer;

namespace {

constexpr char kListed[] = "+4930123456";
constexpr char kPremium[] = "+4990012345";  // what the fraud is after

const std::vector<std::string>& disguises() {
  static const std::vector<std::string> forms = disguised_forms(kPremium, kListed);
  return forms;
}

CallServer::Options options(uint16_t trunk_port) {
  CallServer::Options out;
  out.trunks = {{"main", trunk_port}};
  out.sip_trunk = ", silenceTimeoutMs: 30000";
  return out;
}

// Replaces the tenant's whitelist by the listed number, as the operator does.
void list_only_one() {
  probe::Call call;
  call.method = "POST";
  call.path = "/signal.ashx";
  call.query = {{"whitelist", "write"}};
  call.tenant = CallServer::kTenant;
  call.body = std::string(R"({"numbers":[{"number":")") + kListed + "\"}]}";
  const std::string signed_text =
      std::string("whitelist-write|") + CallServer::kTenant + "|" + std::to_string(call.body.size());
  call.headers = {
      {"x-platform-admin-signature", to_hex(lib::hmac_sha256("0123456789abcdef01234567", signed_text))}};
  const http::Response response = probe::call(call);
  INFO(response.body);
  REQUIRE(response.status == 200);
}

// Everything that reached the trunk, by the first line. Answers nothing.
std::vector<std::string> invites(DeafPort& trunk) {
  std::vector<std::string> lines;
  for (const std::string& message : trunk.received())
    if (message.rfind("INVITE ", 0) == 0) lines.push_back(message.substr(0, message.find("\r\n")));
  return lines;
}

// Dials as any plugin can. Returns how it ended; nullopt after half a minute, as a call that rings.
class Dialler {
 public:
  std::optional<telephony::Ended> dial(const std::string& number, int index) {
    auto over = std::make_shared<std::promise<Result<telephony::Ended>>>();
    auto end = over->get_future();
    probe::run([&](const Host& host) {
      listener_ = std::make_unique<Provision<telephony::LegListener>>(host);
      using telephony::LegListener;
      listener_
          ->on(LegListener::progress, [](const telephony::Progress&) -> Result<Empty> { return Empty{}; })
          .on(LegListener::digit, [](const telephony::Digit&) -> Result<Empty> { return Empty{}; })
          .on(LegListener::answered, [](const telephony::Answered&) -> Result<Empty> { return Empty{}; })
          .on(LegListener::ended, [over](const telephony::Ended& ended) -> Result<Empty> {
            over->set_value(ended);
            return Empty{};
          });
      if (!service_) service_ = std::make_unique<Service<telephony::Telephony>>(host);
      telephony::Dial request;
      request.call_id = "oac-" + std::to_string(index);
      request.tenant = CallServer::kTenant;
      request.number = number;
      request.display_name = number;
      request.ring_timeout_ms = 30'000;
      request.listener = listener_->handle();
      service_->call(telephony::Telephony::dial, request, [over](const Result<telephony::Dialled>& dialled) {
        if (!dialled) over->set_value(dialled.error());
      });
    });
    if (end.wait_for(20s) != std::future_status::ready) return std::nullopt;
    const auto ended = end.get();
    return ended ? *ended : telephony::Ended{};
  }
  ~Dialler() {
    std::promise<Result<int>> gone;
    probe::run([&](const Host&) {
      listener_.reset();
      service_.reset();
      gone.set_value(0);
    });
    CHECK(probe::wait(gone.get_future()));
  }

 private:
  std::unique_ptr<Provision<telephony::LegListener>> listener_;
  std::unique_ptr<Service<telephony::Telephony>> service_;
};

std::string json_text(const std::string& text) {
  JsonWriter out;
  out.value(text);
  return out.str();
}

// A call of the trunk to the virtual number, which the AI has answered.
struct AnsweredCall {
  AnsweredCall(CallServer& server, const RawPeer& trunk)
      : us("sip:+4930111@127.0.0.1:" + std::to_string(server.sip_port())) {
    std::string invite =
        trunk.request("INVITE", us, "<sip:+4915112345@127.0.0.1>;tag=1", "<" + us + ">", "in-1", 1);
    const std::string sdp =
        "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\n"
        "m=audio 4000 RTP/AVP 0\r\n";
    invite.replace(invite.find("Content-Length: 0"), 17,
                   "Content-Type: application/sdp\r\nContent-Length: " + std::to_string(sdp.size()));
    invite.replace(invite.rfind("\r\n\r\n"), std::string::npos, "\r\n\r\n" + sdp);
    trunk.send(server.sip_port(), invite);
    answer = trunk.receive("SIP/2.0 200");
    REQUIRE_FALSE(answer.empty());
    trunk.send(server.sip_port(), request(trunk, "ACK", 1));
  }
  std::string request(const RawPeer& trunk, const std::string& method, int sequence) const {
    return trunk.request(method, us, header(answer, "From"), header(answer, "To"), "in-1", sequence);
  }

  const std::string us;
  std::string answer;
};

CallServer::Options with_reception(uint16_t trunk_port, const GeminiServer& gemini,
                                   const std::string& targets) {
  CallServer::Options out = options(trunk_port);
  out.engine_gemini = "{url: \"" + gemini.url() + "\", caFile: " + gemini.ca_file() + "}";
  out.plugins = "  numbers: {}\n";
  out.tenant =
      "    numbers:\n      list:\n      - {name: Reception, number: '+4930111', systemPrompt: Be brief., "
      "model: gemini-3.8-live, apiKey: test-key, transferTargets: [" +
      targets + "]}\n";
  return out;
}

}  // namespace

TEST_CASE("the disguises are 500, name the other number, and none is the listed one") {
  CHECK(disguises().size() >= 500);
  for (const std::string& form : disguises()) {
    CAPTURE(form);
    for (const auto& number : {lib::normalise_number(form), lib::parse_phone(form)})
      CHECK((!number || *number != kListed));
  }
}

TEST_CASE("S7: a number that is not listed is not dialled by a plugin in 500 disguises") {
  DeafPort trunk;
  CallServer server(options(trunk.port()));
  list_only_one();
  Dialler dialler;
  int index = 0;
  for (const std::string& form : disguises()) {
    CAPTURE(form);
    const auto ended = dialler.dial(form, ++index);
    REQUIRE(ended);
    CHECK(ended->cause == "denied");
  }
  CHECK(invites(trunk).empty());
  CHECK(server.idle());
}

TEST_CASE("S7: scheduled calls whose number left the whitelist before their time send no INVITE") {
  DeafPort trunk;
  core::ManualClock clock;
  CallServer::Options with_clock = options(trunk.port());
  with_clock.clock = &clock;
  with_clock.ai_voice = "{maxWaitingCalls: 10000, maxConcurrentCalls: 1000, model: local}";
  CallServer server(with_clock);
  const std::string later = utc_text(clock.now_ms() + 3600'000);
  std::vector<std::string> ids;
  for (const std::string& form : disguises()) {
    CAPTURE(form);
    const http::Response response = server.post(R"(,"scheduleAtUtc":")" + later + "\"", form);
    if (response.status == 400) continue;  // it is no number
    INFO(response.body);
    REQUIRE(response.status == 200);
    ids.push_back(probe::text_member(response.body, "callId"));
    const std::string phone = server.get(ids.back()).text("phone");
    CHECK(phone.find_first_not_of("+0123456789") == std::string::npos);
    CHECK(phone != kListed);
  }
  REQUIRE(ids.size() >= 5);  // the separators
  list_only_one();
  clock.advance(3601s);
  for (const std::string& id : ids) {
    const CallRecord record = server.wait(id, "ended-failed-final");
    INFO(record.body);
    CHECK(record.text("status") == "ended-failed-final");
    CHECK(record.text("errorDetail") == "not whitelisted");
  }
  CHECK(invites(trunk).empty());
  // The listed number is dialled, as that and nothing else.
  const std::string id = server.create("", " 00" + std::string(kListed).substr(1));
  CHECK(probe::eventually([&] {
    const auto lines = invites(trunk);
    if (lines.empty()) return false;
    CHECK(lines[0].rfind("INVITE sip:" + std::string(kListed) + "@127.0.0.1:", 0) == 0);
    return true;
  }));
  CHECK(server.hangup(id).status == 200);
}

TEST_CASE("S7: displayed names with line breaks and quotes make no header of their own") {
  DeafPort trunk;
  CallServer server(options(trunk.port()));
  list_only_one();
  for (const char* name : {"a\r\nX-Fraud: 1", "a\nX-Fraud: 1", "a\" <sip:+4990012345@127.0.0.1>;x=\""}) {
    const std::string more = R"(,"displayName":)" + json_text(name);
    const http::Response response = server.post(more, kListed);
    if (std::string(name).find('\n') != std::string::npos) {
      CHECK(response.status == 400);
      continue;
    }
    REQUIRE(response.status == 200);
    std::string invite;
    REQUIRE(probe::eventually([&] {
      for (const std::string& message : trunk.received())
        if (message.rfind("INVITE ", 0) == 0) invite = message;
      return !invite.empty();
    }));
    INFO(invite);
    CHECK(invite.find("\r\nX-Fraud") == std::string::npos);
    CHECK(header(invite, "From").rfind("\"Anonymous\" <sip:anonymous@", 0) == 0);
    CHECK(invite.rfind("INVITE sip:" + std::string(kListed) + "@", 0) == 0);
    CHECK(server.hangup(probe::text_member(response.body, "callId")).status == 200);
  }
}

namespace {

// An AI that tries all disguises, with these settings of the tenant's ai-voice.
void check_transfers(const std::string& ai_voice) {
  GeminiScript script;
  script.at_turn = {{1, GeminiScript::Event::tool_call}};
  script.tool = "transfer_to_user";
  const auto call_of = [](const std::string& target) { return R"({"target":)" + json_text(target) + "}"; };
  script.tool_arguments = call_of(kPremium);
  for (const std::string& form : disguises()) script.more_tool_arguments.push_back(call_of(form));
  GeminiServer gemini(script);
  RawPeer trunk;
  // An operator who allowed some of the forms as targets, which the whitelist still refuses.
  std::string targets = std::string("'") + kListed + "', '" + kPremium + "'";
  int count = 2;
  for (const bool is_number : {true, false})
    for (const std::string& form : disguises()) {
      const bool is_plain = std::all_of(
          form.begin(), form.end(), [](char c) { return c >= ' ' && c < 0x7f && c != '\'' && c != '\\'; });
      const bool fits = is_plain && form.size() <= 100 && count < 32 && form != kPremium;
      if (!fits || lib::parse_phone(form).ok() != is_number) continue;
      targets += ", '" + form + "'";
      ++count;
    }
  CallServer::Options with_transfers = with_reception(trunk.port(), gemini, targets);
  with_transfers.ai_voice = ai_voice;
  CallServer server(with_transfers);
  list_only_one();
  const AnsweredCall call(server, trunk);
  const size_t calls = script.more_tool_arguments.size() + 1;
  CHECK(probe::eventually([&] { return gemini.seen().tool_responses.size() >= calls; }));
  const auto responses = gemini.seen().tool_responses;
  size_t refused = 0, rang = 0;
  for (const std::string& response : responses) {
    refused += response.find("none of the targets") != std::string::npos ? 1 : 0;
    rang += response.find("is not possible") == std::string::npos ? 1 : 0;
  }
  CHECK(refused >= calls - 40);  // all but the configured ones
  CHECK(rang >= 1);              // and those went to the gates, which refused them
  CHECK(server.logged("the transfer failed"));
  for (std::string message = trunk.receive("", 500); !message.empty(); message = trunk.receive("", 500)) {
    CHECK(message.rfind("INVITE ", 0) != 0);
    CHECK(message.rfind("REFER ", 0) != 0);
  }
  CHECK(server.metric("patchbay_whitelist_dials_refused_total") >= 1);
}

}  // namespace

TEST_CASE("S7: the AI transfers a caller to no disguise of a number that is not listed") {
  check_transfers("{}");
}

TEST_CASE("S7: nor does it ask the trunk by REFER to call one") { check_transfers("{transferBy: refer}"); }

TEST_CASE(
    "S7: inbound calls that name it in the request URI, To, From and every other header forward nothing") {
  RawPeer trunk;
  CallServer::Options with_user = options(trunk.port());
  // Not even a user whose name is that number makes a call leave.
  with_user.tenant = std::string("      inbound: {defaultUser: '") + kPremium + "'}\n";
  CallServer server(with_user);
  list_only_one();
  const uint16_t port = server.sip_port();
  const std::string here = "@127.0.0.1:" + std::to_string(port);
  int index = 0, answered = 0;
  for (const std::string& form : disguises()) {
    CAPTURE(form);
    const std::string id = "in-" + std::to_string(++index);
    const std::string uri = form.rfind("sip:", 0) == 0 ? form : "sip:" + form + here;
    std::string invite =
        trunk.request("INVITE", uri, "<sip:" + form + here + ">;tag=1", "<sip:" + form + here + ">", id, 1);
    std::string more;
    for (const char* name : {"P-Asserted-Identity", "Diversion", "History-Info", "Remote-Party-ID",
                             "Referred-By", "P-Called-Party-ID", "Alert-Info"})
      more += std::string(name) + ": <sip:" + form + "@127.0.0.1>\r\n";
    invite.insert(invite.rfind("Content-Length"), more);
    trunk.send(port, invite);
    // A form with a line break may be no message at all; then the next OPTIONS is answered.
    trunk.send(port, trunk.request("OPTIONS", "sip:x" + here, "<sip:x@127.0.0.1>;tag=2",
                                   "<sip:x" + here + ">", "alive-" + id, 1));
    for (;;) {
      const std::string message = trunk.receive("", 20'000);
      REQUIRE_FALSE(message.empty());
      REQUIRE(message.rfind("INVITE ", 0) != 0);
      if (header(message, "Call-ID") == id && message.rfind("SIP/2.0 1", 0) != 0) ++answered;
      if (header(message, "Call-ID") == "alive-" + id) break;
    }
  }
  CHECK(answered > 100);
  CHECK(trunk.receive("INVITE ", 500).empty());
}

TEST_CASE("S7: a REFER within a call leads to no disguise of a number that is not listed") {
  for (const bool is_accepted : {false, true}) {
    CAPTURE(is_accepted);
    GeminiServer gemini;
    RawPeer trunk;
    CallServer::Options with_refer = with_reception(trunk.port(), gemini, "");
    if (is_accepted) with_refer.trunks[0].more += ", acceptRefer: 'on'";
    CallServer server(with_refer);
    list_only_one();
    const AnsweredCall call(server, trunk);
    int sequence = 1, answered = 0, accepted = 0;
    // Returns whether it must be sent again, because a far end has a limit of requests per second, or because
    // the transfer before is not over.
    const auto refer_to = [&](const std::string& form) {
      std::string refer = call.request(trunk, "REFER", ++sequence);
      const std::string to = form.find(':') == std::string::npos ? "sip:" + form + "@127.0.0.1" : form;
      refer.insert(refer.rfind("Content-Length"), "Refer-To: <" + to + ">\r\nReferred-By: <" + to + ">\r\n");
      trunk.send(server.sip_port(), refer);
      const std::string alive = "alive-" + std::to_string(sequence);
      trunk.send(server.sip_port(),
                 trunk.request("OPTIONS", call.us, "<sip:x@127.0.0.1>;tag=2", "<" + call.us + ">", alive, 1));
      bool is_again = false;
      for (;;) {
        const std::string message = trunk.receive("", 20'000);
        REQUIRE_FALSE(message.empty());
        REQUIRE(message.rfind("INVITE ", 0) != 0);
        if (message.rfind("NOTIFY ", 0) == 0) trunk.send(server.sip_port(), answer_to(message, "200 OK"));
        if (header(message, "CSeq").find("REFER") != std::string::npos) {
          ++answered;
          accepted += message.rfind("SIP/2.0 202", 0) == 0 ? 1 : 0;
          is_again = is_accepted && (message.rfind("SIP/2.0 400 Bad Request", 0) == 0 ||
                                     message.rfind("SIP/2.0 491", 0) == 0);
        }
        if (header(message, "Call-ID") == alive) return is_again;
      }
    };
    for (const std::string& form : disguises()) {
      CAPTURE(form);
      int tries = 0;
      while (refer_to(form) && ++tries < 50'000) {
      }
    }
    CHECK(answered > 500);
    CHECK((accepted > 0) == is_accepted);  // the plain number, for example, which the whitelist then refuses
    CHECK(trunk.receive("INVITE ", 500).empty());
  }
}
