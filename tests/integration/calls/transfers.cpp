// Transfers by the AI: to telephone numbers, users and other virtual numbers, with real telephones.
#include <doctest/doctest.h>
#include <patchbay/service.h>
#include <patchbay/services/whitelist.h>
#include <patchbay/store.h>

#include <future>
#include <memory>
#include <optional>
#include <thread>

#include "number_call.h"
#include "support/probe_requests.h"

using namespace patchbay;
using namespace patchbay::test;
using namespace std::chrono_literals;
using support::GeminiScript;
using support::GeminiServer;
using Act = GeminiScript::Event;

namespace {

constexpr char kTarget[] = "+4930123456";

constexpr char kSupport[] =
    ", transferTargets: ['+4930222']}\n      - {name: Support, number: '+49 30 222', "
    "systemPrompt: Help., model: gemini-3.8-live, apiKey: test-key";

// An AI that transfers its caller at the second turn.
GeminiScript transferring(const std::string& target = kTarget) {
  GeminiScript script;
  script.at_turn = {{2, Act::tool_call}};
  script.tool = "transfer_to_user";
  script.tool_arguments = R"({"target":")" + target + R"("})";
  return script;
}

std::optional<Baresip> start_telephone(const std::string& number, const std::string& wav) {
  auto started = Baresip::start({.number = number, .play_wav = wav});
  REQUIRE(started.ok());
  return *std::move(started);
}

// A server whose AI transfers a caller, with a telephone for kTarget, or a port that does not answer.
struct TransferServer {
  TransferServer(const GeminiScript& script, const std::string& more, bool has_target,
                 const std::string& ai_voice = "{}")
      : gemini(script),
        tone(speech(folder, {4000, 1000, 1000, 1000, 1000})),
        target(has_target ? start_telephone(kTarget, tone) : std::nullopt),
        server(options(more, ai_voice)) {}

  // Calls the virtual number, and waits until the AI has the call.
  void call_in() {
    auto started = call(server, tone);
    REQUIRE(started.ok());
    caller = *std::move(started);
    id = call_id(server);
  }
  std::string log() { return server.server().log(); }
  std::string ended() {
    static_cast<void>(server.last_event(id, "call.ended"));
    return payload(id, "call.ended");
  }
  std::string transferred() {
    static_cast<void>(server.last_event(id, "call.transferred"));
    return payload(id, "call.transferred");
  }

  GeminiServer gemini;
  TemporaryFolder folder;
  const std::string tone;
  DeafPort deaf;
  std::optional<Baresip> target;
  CallServer server;
  std::optional<Baresip> caller;
  std::string id;  // of the call

 private:
  CallServer::Options options(const std::string& more, const std::string& ai_voice) const {
    CallServer::Options out = number_options(gemini, more);
    out.trunks = {{"main", target ? target->port() : deaf.port()}};
    out.ai_voice = ai_voice;
    return out;
  }
};

const std::vector<std::string> kTransferTopics{"call.answered", "call.started", "call.transferred",
                                               "call.ended", "transcript.saved"};

// Adds the number to the tenant's whitelist.
void allow(const std::string& number) {
  std::promise<Result<int>> done;
  std::unique_ptr<Service<whitelist::Whitelist>> service;
  probe::run([&](const Host& host) {
    service = std::make_unique<Service<whitelist::Whitelist>>(host);
    const auto tx = std::make_shared<Transaction>(host);
    service->call(whitelist::Whitelist::add, {tx->handle(), CallServer::kTenant, number, ""},
                  [&, tx](const Result<Empty>& added) {
                    if (!added) return done.set_value(added.error());
                    std::move(*tx).commit([&](const Commit& outcome) {
                      done.set_value(outcome ? Result<int>(0) : outcome.error());
                    });
                  });
  });
  CHECK(probe::wait(done.get_future()));
  std::promise<Result<int>> gone;
  probe::run([&](const Host&) {
    service.reset();
    gone.set_value(0);
  });
  CHECK(probe::wait(gone.get_future()));
}

// The id of the second call in the log.
std::string other_call_id(CallServer& server, const std::string& first) {
  std::string id;
  CHECK(probe::eventually([&] {
    const std::string log = server.server().log();
    for (size_t at = log.find("vnum-"); at != std::string::npos; at = log.find("vnum-", at + 1))
      if (log.substr(at, 17) != first && log[at + 5] != 't') id = log.substr(at, 17);
    return !id.empty();
  }));
  return id;
}

// Makes alice reachable at the telephone with this number.
struct AliceAtPhone {
  explicit AliceAtPhone(const std::string& number) {
    std::promise<Result<int>> added;
    probe::run([&](const Host& host) {
      telephony = std::make_unique<Service<telephony::Telephony>>(host);
      contact = std::make_unique<Provision<telephony::Contact>>(host);
      contact->on(telephony::Contact::ring, [this, number](const telephony::RingContact& ring,
                                                           Reply<telephony::Dialled> reply) {
        telephony::Dial dial;
        dial.call_id = ring.call_id + "-phone";
        dial.tenant = ring.tenant;
        dial.number = number;
        dial.ring_timeout_ms = ring.ring_timeout_ms;
        dial.listener = ring.listener;
        telephony->call(
            telephony::Telephony::dial, dial,
            [reply = std::move(reply)](const Result<telephony::Dialled>& leg) mutable { reply(leg); });
      });
      telephony::AddContact request;
      request.tenant = CallServer::kTenant;
      request.user = "alice";
      request.name = "phone";
      request.kind = "test";
      request.contact = contact->handle();
      telephony->call(telephony::Telephony::add_contact, request, [&](const Result<Empty>& done) {
        added.set_value(done ? Result<int>(0) : done.error());
      });
    });
    CHECK(probe::wait(added.get_future()));
  }
  ~AliceAtPhone() {
    std::promise<Result<int>> gone;
    probe::run([&](const Host&) {
      contact.reset();
      telephony.reset();
      gone.set_value(0);
    });
    CHECK(probe::wait(gone.get_future()));
  }
  std::unique_ptr<Service<telephony::Telephony>> telephony;
  std::unique_ptr<Provision<telephony::Contact>> contact;
};

}  // namespace

TEST_CASE("the AI transfers a caller to a number, and both talk") {
  TransferServer s(transferring(), ", transferTargets: ['+4930123456']", true);
  allow(kTarget);
  s.call_in();
  INFO(s.log());
  CHECK(s.transferred() == R"({"callId":")" + s.id +
                               R"(","fromVnum":"+4930111",)"
                               R"("toPhone":"+4930123456","transferType":"vnum-to-pstn",)"
                               R"("room":"","source":"vnum"})");
  CHECK(s.gemini.seen().tool_responses.size() == 1);
  std::this_thread::sleep_for(4s);  // they talk
  const std::vector<int16_t> heard = s.target->heard();
  CHECK(topics(s.server, s.id, "transcript.saved") == kTransferTopics);
  CHECK(contains(s.ended(), R"("outcome":"transferred-to-vnum")"));
  CHECK(s.server.idle());
  CHECK(is_loud(heard));
}

TEST_CASE(
    "a transfer that the whitelist refuses sends no INVITE, the AI gets the reason and the call continues") {
  TransferServer s(transferring(), ", transferTargets: ['+4930123456']", false);
  s.call_in();
  CHECK(s.server.logged("the transfer failed"));
  CHECK(probe::eventually([&] {
    for (const std::string& text : s.gemini.seen().texts)
      if (contains(text, "The transfer has failed")) return true;
    return false;
  }));
  CHECK(payload(s.id, "call.ended").empty());
  CHECK(s.deaf.received().empty());
  s.caller->heard();  // hangs up
  CHECK(contains(s.ended(), R"("outcome":"far-hangup")"));
  CHECK(payload(s.id, "call.transferred").empty());
}

TEST_CASE("a target that the number does not name is not called") {
  TransferServer s(transferring(), ", transferTargets: ['+4930999999', alice]", false);
  allow(kTarget);
  s.call_in();
  CHECK(probe::eventually([&] { return !s.gemini.seen().tool_responses.empty(); }));
  REQUIRE_FALSE(s.gemini.seen().tool_responses.empty());
  CHECK(contains(s.gemini.seen().tool_responses[0], "none of the targets"));
  INFO(s.gemini.seen().setups.at(0));
  CHECK(contains(s.gemini.seen().setups.at(0), "+4930999999"));
  CHECK(s.deaf.received().empty());
}

TEST_CASE("the AI hands a caller to the AI of another virtual number, in the caller's place of the limits") {
  TransferServer s(transferring("+4930222"), kSupport, false, "{maxConcurrentCalls: 1}");
  s.call_in();
  INFO(s.log());
  CHECK(s.transferred() == R"({"callId":")" + s.id +
                               R"(","fromVnum":"+4930111","toUser":"+4930222",)"
                               R"("transferType":"vnum-to-vnum","room":"","source":"vnum"})");
  const std::string other = other_call_id(s.server, s.id);
  static_cast<void>(s.server.last_event(other, "call.started"));
  CHECK(contains(payload(other, "call.started"), R"("number":"+4930222")"));
  REQUIRE(s.gemini.seen().setups.size() == 2);
  CHECK(contains(s.gemini.seen().setups[1], "Help."));
  CHECK(s.caller->heard().size() > 0);  // hangs up
  CHECK(topics(s.server, s.id, "transcript.saved") == kTransferTopics);
  CHECK(contains(s.ended(), R"("outcome":"transferred-to-vnum")"));
  CHECK(topics(s.server, other, "transcript.saved") ==
        std::vector<std::string>{"call.answered", "call.started", "call.ended", "transcript.saved"});
  CHECK(contains(payload(other, "call.ended"), R"("outcome":"far-hangup")"));
  CHECK(s.server.idle());
}

TEST_CASE("a caller who hangs up while another AI is asked leaves no call behind") {
  TransferServer s(transferring("+4930222"), kSupport, false);
  s.call_in();
  CHECK(probe::eventually([&] { return !s.gemini.seen().tool_responses.empty(); }));
  s.caller.reset();
  static_cast<void>(s.ended());
  CHECK(s.server.idle());
}

TEST_CASE("the trunk makes the call of a transfer where the number wants that") {
  TransferServer s(transferring(), ", transferTargets: ['+4930123456'], transferBy: refer", true);
  allow(kTarget);
  s.call_in();
  INFO(s.log());
  CHECK(contains(s.ended(), R"("outcome":"transferred-to-vnum")"));
  CHECK(contains(payload(s.id, "call.transferred"),
                 R"("toPhone":"+4930123456","transferType":"vnum-to-pstn")"));
  CHECK(contains(s.log(), "the trunk has transferred the caller"));
  CHECK(s.server.idle());
}

TEST_CASE("the AI gets the reason when the user of a transfer has no telephone, and the call continues") {
  TransferServer s(transferring("alice"), ", transferTargets: [alice]", false);
  s.call_in();
  CHECK(s.server.logged("the transfer failed"));
  CHECK(payload(s.id, "call.ended").empty());
  s.caller->heard();  // hangs up
  static_cast<void>(s.ended());
  CHECK(payload(s.id, "call.transferred").empty());
}

TEST_CASE("the AI transfers a caller to a user") {
  TransferServer s(transferring("alice"), ", transferTargets: [alice]", true);
  allow(kTarget);
  AliceAtPhone alice(kTarget);
  s.call_in();
  INFO(s.log());
  CHECK(s.transferred() == R"({"callId":")" + s.id +
                               R"(","fromVnum":"+4930111","toUser":"alice",)"
                               R"("transferType":"vnum-to-officetab","room":"","source":"vnum"})");
  s.caller->heard();  // hangs up
  CHECK(contains(s.ended(), R"("outcome":"transferred-to-vnum")"));
  CHECK(s.server.idle());
}

TEST_CASE("the AI of an outbound call transfers the callee to a user of the tenant") {
  GeminiServer gemini(transferring("alice"));
  TemporaryFolder folder;
  const std::string tone = speech(folder, {4000, 1000, 1000, 1000, 1000});
  auto callee = start_telephone(CallServer::kPhone, tone);
  const auto person = start_telephone("+4930999", tone);
  CallServer::Options options = number_options(gemini);
  options.trunks = {{"main", callee->port()}, {"two", person->port()}};
  options.routes = "[{match: '+4930999', trunkIds: [two]}, {match: global, trunkIds: [main]}]";
  options.ai_voice = "{transferUsers: [alice], model: gemini-3.8-live, apiKey: test-key}";
  CallServer server(options);
  allow("+4930999");
  AliceAtPhone alice("+4930999");
  const std::string id = server.create();
  INFO(server.server().log());
  static_cast<void>(server.last_event(id, "call.transferred"));
  CHECK(payload(id, "call.transferred") == R"({"callId":")" + id + R"(","fromOutbound":")" + id +
                                               R"(","fromPhone":"+4930123456","toUser":"alice",)"
                                               R"("transferType":"outbound-to-user","trunkId":"main",)"
                                               R"("source":"outbound-ai"})");
  callee->heard();  // hangs up
  static_cast<void>(server.last_event(id, "outbound-ai.finished"));
  CHECK(contains(payload(id, "outbound-ai.finished"), R"("outcome":"transferred-to-vnum")"));
  CHECK(server.wait(id, "ended-success").text("endedReason") == "transferred-to-vnum");
  CHECK(server.idle());
}
