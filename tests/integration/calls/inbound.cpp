// Calls to virtual numbers: a real telephone calls a whole server, and the AI answers.
#include <doctest/doctest.h>
#include <patchbay/service.h>
#include <patchbay/services/whitelist.h>
#include <patchbay/store.h>

#include <algorithm>
#include <cmath>
#include <future>
#include <memory>
#include <optional>
#include <thread>

#include "call_server.h"
#include "support/baresip_phone.h"
#include "support/gemini_server.h"
#include "support/json_without_host.h"
#include "support/probe_requests.h"
#include "support/webhook_receiver.h"

using namespace patchbay;
using namespace patchbay::test;
using namespace std::chrono_literals;
using support::GeminiScript;
using support::GeminiServer;
using Act = GeminiScript::Event;

namespace {

constexpr char kReception[] = "+4930111";
constexpr char kTrunk[] = "+4915112345";  // the caller's number

// A server with virtual numbers; its trunk has any port, because only its address matters.
CallServer::Options numbers(const GeminiServer& gemini, const std::string& more = "",
                            const WebhookReceiver* receiver = nullptr) {
  CallServer::Options out;
  out.trunks = {{"main", 5060}};
  out.engine_gemini = "{url: \"" + gemini.url() + "\", caFile: " + gemini.ca_file() + "}";
  out.plugins = "  numbers: {}\n";
  out.tenant =
      "    numbers:\n      list:\n      - {name: Reception, number: '+4930111', systemPrompt: Be brief., "
      "model: gemini-3.8-live, apiKey: test-key, voice: Kore, language: de-DE" +
      more + "}\n";
  if (receiver == nullptr) return out;
  out.plugins += "  webhooks: {}\n";
  out.tenant += "    webhooks:\n      allowPrivateReceivers: true\n      subscriptions:\n      - {url: '" +
                receiver->url() + "', events: ['*'], secret: 0123456789abcdef}\n";
  return out;
}

// A WAV file of silence with a second of a tone after each pause.
std::string speech(const TemporaryFolder& folder, std::initializer_list<int> pauses_ms) {
  std::vector<int16_t> samples;
  for (const int pause_ms : pauses_ms) {
    samples.resize(samples.size() + static_cast<size_t>(pause_ms) * 8);
    for (int i = 0; i < 8000; ++i)
      samples.push_back(static_cast<int16_t>(8000 * std::sin(2 * M_PI * 440 * i / 8000)));
  }
  samples.resize(samples.size() + size_t{30} * 8000);
  const std::string file = (folder.path() / "speech.wav").string();
  REQUIRE(write_wav(file, samples, 8000).ok());
  return file;
}

Result<Baresip> call(CallServer& server, const std::string& wav = "", const std::string& did = kReception) {
  return Baresip::start({.number = kTrunk,
                         .play_wav = wav,
                         .dial = "sip:" + did + "@127.0.0.1:" + std::to_string(server.sip_port())});
}

// Waits for the call's id in the log.
std::string call_id(CallServer& server) {
  std::string id;
  CHECK(probe::eventually([&] {
    const std::string log = server.server().log();
    const size_t at = log.find("vnum-");
    if (at != std::string::npos) id = log.substr(at, 17);
    return !id.empty();
  }));
  return id;
}

std::vector<std::string> topics(CallServer& server, const std::string& id, const std::string& last) {
  static_cast<void>(server.last_event(id, last));
  std::vector<ObservedEvent> events = events_of(id);
  std::sort(events.begin(), events.end(),
            [](const ObservedEvent& a, const ObservedEvent& b) { return a.id < b.id; });
  std::vector<std::string> list;
  for (const ObservedEvent& each : events) list.push_back(each.topic);
  return list;
}

std::string payload(const std::string& id, const std::string& topic) {
  for (const ObservedEvent& each : events_of(id))
    if (each.topic == topic) return each.payload;
  return "";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a telephone calls a virtual number: the AI answers, talks and ends the call") {
  GeminiScript script;
  script.at_turn = {{2, Act::tool_call}};
  GeminiServer gemini(script);
  WebhookReceiver receiver({"0123456789abcdef", "", 0, "", ""});
  TemporaryFolder folder;
  CallServer server(numbers(gemini, "", &receiver));
  auto phone = call(server, speech(folder, {4000}));
  REQUIRE(phone.ok());
  const std::string id = call_id(server);
  INFO(server.server().log());
  CHECK(topics(server, id, "transcript.saved") ==
        std::vector<std::string>{"call.answered", "call.started", "call.ended", "transcript.saved"});

  // Exactly the fields of the catalogue.
  const std::string answered = payload(id, "call.answered");
  CHECK(answered.rfind(R"({"callId":")" + id +
                           R"(","did":"+4930111","fromNumber":"+4915112345",)"
                           R"("direction":"inbound","source":"engine-live","answerMs":)",
                       0) == 0);
  CHECK(payload(id, "call.started") == R"({"callId":")" + id +
                                           R"(","number":"+4930111","did":"+4930111",)"
                                           R"("direction":"inbound","source":"engine-live"})");
  const std::string ended = payload(id, "call.ended");
  INFO(ended);
  CHECK(ended.rfind(R"({"callId":")" + id +
                        R"(","number":"+4930111","room":"","outcome":"finished",)"
                        R"("durationSec":)",
                    0) == 0);
  CHECK(contains(ended, R"("source":"sip"})"));
  CHECK(server.last_event(id, "call.ended").root().integer("tokens", 0) > 0);
  CHECK(payload(id, "transcript.saved") == R"({"callId":")" + id + R"(","number":"+4930111","file":")" + id +
                                               R"(.json","outcome":"finished","source":"vnum"})");

  const std::string words = server.transcript(id);
  INFO(words);
  const Json transcript = *json_without_host(words);
  const auto text = [&](const char* name) { return std::string(transcript.root().text(name, "(absent)")); };
  CHECK(text("callerSource") == "vnum");
  CHECK(text("number") == "+4930111");
  CHECK(text("fromNumber") == "+4915112345");
  CHECK(text("room") == "");
  CHECK(text("rule") == "vnum:Reception");
  CHECK(text("voice") == "Kore");
  CHECK(text("language") == "de-DE");
  CHECK(text("model") == "gemini-3.8-live");
  CHECK(text("outcome") == "finished");
  for (const char* name : {"phone", "displayName", "email", "trunkId"}) CHECK(text(name) == "(absent)");
  CHECK(transcript.root().integer("inputTurns", 0) == 1);
  CHECK(transcript.root().integer("outputTurns", 0) == 2);
  CHECK(contains(words, "I have a question"));

  // The same, by webhook, with a signature.
  const auto deliveries = receiver.wait_for(4);
  REQUIRE(deliveries.size() >= 4);
  for (const WebhookDelivery& delivery : deliveries) CHECK(delivery.signature_ok);
  CHECK(contains(deliveries[2].body, ended));

  const GeminiServer::Seen seen = gemini.seen();
  CHECK(seen.complaints.empty());
  REQUIRE(seen.setups.size() == 1);
  CHECK(contains(seen.setups[0], "Be brief."));
  CHECK_FALSE(contains(seen.setups[0], "voicemail_detected"));  // of outbound calls only
  CHECK(server.idle());
  CHECK_FALSE(contains(server.server().log(), "test-key"));
  // The caller heard the AI.
  const std::vector<int16_t> heard = phone->heard();
  const auto loud = std::count_if(heard.begin(), heard.end(), [](int16_t s) { return s > 500 || s < -500; });
  CHECK(loud > 8000);
}

TEST_CASE("a caller who hangs up ends the call as far-hangup, and a number without transcripts has none") {
  GeminiServer gemini;
  CallServer server(numbers(gemini, ", saveTranscripts: false"));
  auto phone = call(server);
  REQUIRE(phone.ok());
  const std::string id = call_id(server);
  static_cast<void>(server.last_event(id, "call.started"));
  phone->heard();  // stops it, which hangs up
  CHECK(topics(server, id, "call.ended") ==
        std::vector<std::string>{"call.answered", "call.started", "call.ended"});
  CHECK(contains(payload(id, "call.ended"), R"("outcome":"far-hangup")"));
  CHECK(server.transcript(id).empty());
  CHECK(server.idle());
}

TEST_CASE("maxDurationSec of the number ends the call") {
  GeminiServer gemini;
  CallServer server(numbers(gemini, ", maxDurationSec: 10"));
  auto phone = call(server);
  REQUIRE(phone.ok());
  const std::string id = call_id(server);
  CHECK(topics(server, id, "transcript.saved").size() == 4);
  CHECK(contains(payload(id, "call.ended"), R"("outcome":"max-duration","durationSec":10)"));
  CHECK(server.idle());
}

TEST_CASE("maxConcurrentCalls of the tenant counts both directions, and a further caller hears busy") {
  GeminiServer gemini;
  CallServer::Options options = numbers(gemini);
  options.ai_voice = "{maxConcurrentCalls: 1}";
  CallServer server(options);
  auto first = call(server);
  REQUIRE(first.ok());
  const std::string id = call_id(server);
  static_cast<void>(server.last_event(id, "call.started"));
  auto second = call(server);
  REQUIRE(second.ok());
  CHECK(server.logged("maxConcurrentCalls (1) of the tenant"));
  CHECK(probe::eventually([&] { return contains(second->output(), "486"); }));
  // A call that is to be dialled waits.
  const http::Response waiting = server.post();
  INFO(waiting.body);
  CHECK(contains(waiting.body, "maxConcurrentCalls (1) of the tenant"));
  first->heard();
  CHECK(server.last_event(id, "call.ended").root().text("outcome", "") == "far-hangup");
}

TEST_CASE("an engine that refuses the call leaves it unanswered, without events") {
  GeminiScript script;
  script.refuse_upgrade = 403;
  GeminiServer gemini(script);
  CallServer server(numbers(gemini));
  auto phone = call(server);
  REQUIRE(phone.ok());
  const std::string id = call_id(server);
  CHECK(probe::eventually([&] { return contains(phone->output(), "480"); }));
  CHECK(server.idle());
  CHECK(events_of(id).empty());
  CHECK(server.metric("patchbay_ai_voice_inbound_ended_total{outcome=\"not-answered\"}") == 1);
}

namespace {

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

GeminiScript transferring() {
  GeminiScript script;
  script.at_turn = {{2, Act::tool_call}};
  script.tool = "transfer_to_user";
  script.tool_arguments = R"({"target":"+4930123456"})";
  return script;
}

}  // namespace

TEST_CASE("the AI transfers a caller to a number, and both talk") {
  GeminiServer gemini(transferring());
  TemporaryFolder folder;
  const std::string tone = speech(folder, {4000, 1000, 1000, 1000, 1000});
  auto person = Baresip::start({.number = "+4930123456", .play_wav = tone});
  REQUIRE(person.ok());
  CallServer::Options options = numbers(gemini, ", transferTargets: ['+4930123456']");
  options.trunks = {{"main", person->port()}};
  CallServer server(options);
  allow("+4930123456");
  auto caller = call(server, tone);
  REQUIRE(caller.ok());
  const std::string id = call_id(server);
  INFO(server.server().log());
  static_cast<void>(server.last_event(id, "call.transferred"));
  CHECK(payload(id, "call.transferred") == R"({"callId":")" + id +
                                               R"(","fromVnum":"+4930111",)"
                                               R"("toPhone":"+4930123456","transferType":"vnum-to-pstn",)"
                                               R"("room":"","source":"vnum"})");
  CHECK(gemini.seen().tool_responses.size() == 1);
  std::this_thread::sleep_for(4s);  // they talk
  const std::vector<int16_t> heard = person->heard();
  CHECK(topics(server, id, "transcript.saved") == std::vector<std::string>{"call.answered", "call.started",
                                                                           "call.transferred", "call.ended",
                                                                           "transcript.saved"});
  CHECK(contains(payload(id, "call.ended"), R"("outcome":"transferred-to-vnum")"));
  CHECK(server.idle());
  const auto loud = std::count_if(heard.begin(), heard.end(), [](int16_t s) { return s > 500 || s < -500; });
  CHECK(loud > 8000);
}

TEST_CASE(
    "a transfer that the whitelist refuses sends no INVITE, the AI gets the reason and the call continues") {
  GeminiServer gemini(transferring());
  TemporaryFolder folder;
  DeafPort deaf;
  CallServer::Options options = numbers(gemini, ", transferTargets: ['+4930123456']");
  options.trunks = {{"main", deaf.port()}};
  CallServer server(options);
  auto caller = call(server, speech(folder, {4000}));
  REQUIRE(caller.ok());
  const std::string id = call_id(server);
  CHECK(server.logged("the transfer failed"));
  CHECK(probe::eventually([&] {
    for (const std::string& text : gemini.seen().texts)
      if (contains(text, "The transfer has failed")) return true;
    return false;
  }));
  CHECK(payload(id, "call.ended").empty());
  CHECK(deaf.received().empty());
  caller->heard();
  static_cast<void>(server.last_event(id, "call.ended"));
  CHECK(contains(payload(id, "call.ended"), R"("outcome":"far-hangup")"));
  CHECK(payload(id, "call.transferred").empty());
}

TEST_CASE("a target that the number does not name is not called") {
  GeminiServer gemini(transferring());
  TemporaryFolder folder;
  DeafPort deaf;
  CallServer::Options options = numbers(gemini, ", transferTargets: ['+4930999999', alice]");
  options.trunks = {{"main", deaf.port()}};
  CallServer server(options);
  allow("+4930123456");
  auto caller = call(server, speech(folder, {4000}));
  REQUIRE(caller.ok());
  CHECK(probe::eventually([&] { return !gemini.seen().tool_responses.empty(); }));
  REQUIRE_FALSE(gemini.seen().tool_responses.empty());
  CHECK(contains(gemini.seen().tool_responses[0], "none of the targets"));
  INFO(gemini.seen().setups.at(0));
  CHECK(contains(gemini.seen().setups.at(0), "+4930999999"));
  CHECK(deaf.received().empty());
}

namespace {

constexpr char kSupport[] =
    ", transferTargets: ['+4930222']}\n      - {name: Support, number: '+49 30 222', "
    "systemPrompt: Help., model: gemini-3.8-live, apiKey: test-key";

GeminiScript handing_over() {
  GeminiScript script = transferring();
  script.tool_arguments = R"({"target":"+4930222"})";
  return script;
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

}  // namespace

TEST_CASE("the AI hands a caller to the AI of another virtual number") {
  GeminiServer gemini(handing_over());
  TemporaryFolder folder;
  CallServer server(numbers(gemini, kSupport));
  auto caller = call(server, speech(folder, {4000, 1000, 1000, 1000, 1000}));
  REQUIRE(caller.ok());
  const std::string id = call_id(server);
  INFO(server.server().log());
  static_cast<void>(server.last_event(id, "call.transferred"));
  CHECK(payload(id, "call.transferred") == R"({"callId":")" + id +
                                               R"(","fromVnum":"+4930111","toUser":"+4930222",)"
                                               R"("transferType":"vnum-to-vnum","room":"","source":"vnum"})");
  const std::string other = other_call_id(server, id);
  static_cast<void>(server.last_event(other, "call.started"));
  CHECK(contains(payload(other, "call.started"), R"("number":"+4930222")"));
  REQUIRE(gemini.seen().setups.size() == 2);
  CHECK(contains(gemini.seen().setups[1], "Help."));
  CHECK(caller->heard().size() > 0);  // hangs up
  CHECK(topics(server, id, "transcript.saved") == std::vector<std::string>{"call.answered", "call.started",
                                                                           "call.transferred", "call.ended",
                                                                           "transcript.saved"});
  CHECK(contains(payload(id, "call.ended"), R"("outcome":"transferred-to-vnum")"));
  CHECK(topics(server, other, "transcript.saved") ==
        std::vector<std::string>{"call.answered", "call.started", "call.ended", "transcript.saved"});
  CHECK(contains(payload(other, "call.ended"), R"("outcome":"far-hangup")"));
  CHECK(server.idle());
}

TEST_CASE("a caller who hangs up while another AI is asked leaves no call behind") {
  GeminiServer gemini(handing_over());
  TemporaryFolder folder;
  CallServer server(numbers(gemini, kSupport));
  {
    auto caller = call(server, speech(folder, {4000}));
    REQUIRE(caller.ok());
    CHECK(probe::eventually([&] { return !gemini.seen().tool_responses.empty(); }));
  }
  const std::string id = call_id(server);
  static_cast<void>(server.last_event(id, "call.ended"));
  CHECK(server.idle());
}

TEST_CASE("the trunk makes the call of a transfer where the tenant wants that") {
  GeminiServer gemini(transferring());
  TemporaryFolder folder;
  const std::string tone = speech(folder, {4000, 1000, 1000, 1000, 1000});
  auto person = Baresip::start({.number = "+4930123456", .play_wav = tone});
  REQUIRE(person.ok());
  CallServer::Options options = numbers(gemini, ", transferTargets: ['+4930123456']");
  options.trunks = {{"main", person->port()}};
  options.ai_voice = "{transferBy: refer}";
  CallServer server(options);
  allow("+4930123456");
  auto caller = call(server, tone);
  REQUIRE(caller.ok());
  const std::string id = call_id(server);
  INFO(server.server().log());
  static_cast<void>(server.last_event(id, "call.ended"));
  CHECK(
      contains(payload(id, "call.transferred"), R"("toPhone":"+4930123456","transferType":"vnum-to-pstn")"));
  CHECK(contains(payload(id, "call.ended"), R"("outcome":"transferred-to-vnum")"));
  CHECK(server.server().log().find("the trunk has transferred the caller") != std::string::npos);
  CHECK(server.idle());
}

namespace {

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

GeminiScript to_alice() {
  GeminiScript script = transferring();
  script.tool_arguments = R"({"target":"alice"})";
  return script;
}

}  // namespace

TEST_CASE("the AI gets the reason when the user of a transfer has no telephone, and the call continues") {
  GeminiServer gemini(to_alice());
  TemporaryFolder folder;
  CallServer server(numbers(gemini, ", transferTargets: [alice]"));
  auto caller = call(server, speech(folder, {4000}));
  REQUIRE(caller.ok());
  const std::string id = call_id(server);
  CHECK(server.logged("the transfer failed"));
  CHECK(payload(id, "call.ended").empty());
  caller->heard();  // hangs up
  static_cast<void>(server.last_event(id, "call.ended"));
  CHECK(payload(id, "call.transferred").empty());
}

TEST_CASE("the AI transfers a caller to a user") {
  GeminiServer gemini(to_alice());
  TemporaryFolder folder;
  const std::string tone = speech(folder, {4000, 1000, 1000, 1000, 1000});
  auto person = Baresip::start({.number = "+4930123456", .play_wav = tone});
  REQUIRE(person.ok());
  CallServer::Options options = numbers(gemini, ", transferTargets: [alice]");
  options.trunks = {{"main", person->port()}};
  CallServer server(options);
  allow("+4930123456");
  AliceAtPhone alice("+4930123456");
  auto caller = call(server, tone);
  REQUIRE(caller.ok());
  const std::string id = call_id(server);
  INFO(server.server().log());
  static_cast<void>(server.last_event(id, "call.transferred"));
  CHECK(payload(id, "call.transferred") ==
        R"({"callId":")" + id +
            R"(","fromVnum":"+4930111","toUser":"alice",)"
            R"("transferType":"vnum-to-officetab","room":"","source":"vnum"})");
  caller->heard();  // hangs up
  static_cast<void>(server.last_event(id, "call.ended"));
  CHECK(contains(payload(id, "call.ended"), R"("outcome":"transferred-to-vnum")"));
  CHECK(server.idle());
}

TEST_CASE("the AI of an outbound call transfers the callee to a user of the tenant") {
  GeminiServer gemini(to_alice());
  TemporaryFolder folder;
  const std::string tone = speech(folder, {4000, 1000, 1000, 1000, 1000});
  auto callee = Baresip::start({.number = "+4930123456", .play_wav = tone});
  auto person = Baresip::start({.number = "+4930999", .play_wav = tone});
  REQUIRE(callee.ok());
  REQUIRE(person.ok());
  CallServer::Options options = numbers(gemini);
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
