// Conversations with the Gemini server of tests/support, with and without faults: the call always ends, the
// transcript has what was said, other calls continue.
#include <doctest/doctest.h>

#include <optional>
#include <thread>

#include "call_server.h"
#include "phone.h"
#include "support/gemini_server.h"
#include "support/probe_requests.h"

using namespace patchbay;
using namespace patchbay::test;
using namespace std::chrono_literals;
using support::GeminiScript;
using support::GeminiServer;
using Act = GeminiScript::Event;

namespace {

using Topics = std::vector<std::string>;
const Topics kTalked = {"call.answered", "call.started", "outbound-ai.finished", "transcript.saved"};

CallServer::Options options(const GeminiServer& gemini, uint16_t trunk_port, const std::string& more = "") {
  CallServer::Options out;
  out.trunks = {{"main", trunk_port}};
  out.engine_gemini = "{url: \"" + gemini.url() + "\", caFile: " + gemini.ca_file() + more + "}";
  return out;
}

GeminiScript script(std::map<int, Act> at_turn = {}) {
  GeminiScript out;
  out.at_turn = std::move(at_turn);
  return out;
}

bool has_event(const std::string& id, const std::string& topic, std::chrono::milliseconds limit = 60s) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (std::chrono::steady_clock::now() < deadline) {
    for (const ObservedEvent& event : events_of(id))
      if (event.topic == topic) return true;
    std::this_thread::sleep_for(20ms);
  }
  return false;
}

void check_end(CallServer& server, const std::string& id, const CallRecord& record, const std::string& status,
               const std::string& reason, const Topics& topics = kTalked) {
  INFO(record.body);
  INFO(server.server().log());
  CHECK(record.text("status") == status);
  CHECK(record.text("endedReason") == reason);
  CHECK(server.topics(id) == topics);
  CHECK(server.server().log().find("test-key") == std::string::npos);
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a conversation: greeting, barge-in, question, a tool that ends the call after its farewell") {
  GeminiScript plan = script({{2, Act::tool_call}});
  plan.first_answer_ms = 16'000;
  plan.answer_ms = 4000;
  GeminiServer gemini(plan);
  Phone phone;
  CallServer server(options(gemini, phone.port()));
  const std::string id = server.create(R"(,"retries":1)");
  REQUIRE(phone.hears(6000));
  phone.speak(800);
  const CallRecord record = server.wait(id, "ended-success");
  check_end(server, id, record, "ended-success", "finished");
  CHECK(record.integer("retriesLeft") == 1);
  CHECK(record.integer("durationSec") >= 9);  // the farewell was heard
  // The quality of the audio, although the end was ours: the record waits for the leg's report.
  CHECK(record.integer("rtpReceived") > 9 * 40);
  CHECK(record.integer("rtpLost") < 50);
  CHECK(record.integer("rtpDelayMs") <= 100);
  CHECK(phone.heard_ms() >= 6000 + 3500);
  CHECK(phone.heard_ms() < 16'000);
  const std::string words = server.transcript(id);
  INFO(words);
  // Cut to what was heard, then the question, then the goodbye.
  const size_t question = words.find("I have a question");
  REQUIRE(question != std::string::npos);
  CHECK(contains(words.substr(0, question), "This is"));
  CHECK_FALSE(contains(words, "number 1."));
  CHECK(contains(words.substr(question), "This is answer number 99."));
  CHECK(contains(words, "\"inputTurns\":1"));
  CHECK(contains(words, "\"outputTurns\":2"));
  // What is said stays out of the log, which is at level debug here.
  CHECK_FALSE(contains(server.server().log(), "I have a question"));
  CHECK_FALSE(contains(server.server().log(), "This is answer"));
  const GeminiServer::Seen seen = gemini.seen();
  CHECK(seen.complaints.empty());
  CHECK(seen.interruptions == 1);
  CHECK(seen.connections == 1);
  REQUIRE(seen.setups.size() == 1);
  CHECK(contains(seen.setups[0], "Be brief."));
  check_sipp(phone.sipp());
  CHECK(server.idle());
}

TEST_CASE("an isolated engine has the same conversation") {
  GeminiServer gemini(script({{2, Act::tool_call}}));
  Phone phone;
  CallServer server(options(gemini, phone.port(), ", isolation: process"));
  CHECK(server.metric("patchbay_plugin_up{plugin=\"engine-gemini\"}") == 1);
  const std::string id = server.create();
  REQUIRE(phone.hears(1500));
  phone.speak(800);
  const CallRecord record = server.wait(id, "ended-success");
  check_end(server, id, record, "ended-success", "finished");
  const std::string words = server.transcript(id);
  INFO(words);
  CHECK(contains(words, "I have a question"));
  CHECK(contains(words, "This is answer number 99."));
  CHECK(gemini.seen().complaints.empty());
  check_sipp(phone.sipp());
  CHECK(server.idle());
}

TEST_CASE("a dropped connection is resumed and the call continues") {
  GeminiServer gemini(script({{2, Act::drop}}));
  Phone phone;
  CallServer::Options talkative = options(gemini, phone.port());
  talkative.ai_voice_server = "logConversations: true";
  CallServer server(talkative);
  const std::string id = server.create();
  REQUIRE(phone.hears_to_the_end(1900));
  phone.speak(600);
  REQUIRE(probe::eventually([&] { return gemini.seen().setups.size() == 2; }));
  CHECK(contains(gemini.seen().setups.at(1), "handle-1"));
  CHECK(server.get(id).text("status") == "in-flight");
  phone.speak(600);
  REQUIRE(probe::eventually([&] { return gemini.seen().turns >= 3; }));
  REQUIRE(phone.hears(1900 + 200 + 1900));
  server.hangup(id);
  check_end(server, id, server.get(id), "cancelled", "cancelled");
  CHECK(contains(server.transcript(id), "This is answer number 1."));
  CHECK(server.logged("This is answer"));
  CHECK(server.logged("the engine's connection was lost and is opened again"));
  CHECK(server.metric("patchbay_ai_voice_first_audio_seconds_count") == 1);
  check_sipp(phone.sipp());
  CHECK(server.idle());
}

TEST_CASE("a connection that cannot be resumed ends the call, and the transcript is kept") {
  std::optional<GeminiServer> gemini(std::in_place, GeminiScript{});
  Phone phone;
  CallServer server(options(*gemini, phone.port(), ", resumeMs: 1500"));
  const std::string id = server.create(R"(,"retries":1)");
  REQUIRE(phone.hears(1900));
  gemini.reset();
  const CallRecord record = server.wait(id, "ended-failed-final");
  check_end(server, id, record, "ended-failed-final", "far-hangup");
  CHECK(contains(record.text("errorDetail"), "engine"));
  CHECK(record.integer("retriesLeft") == 1);
  const std::string words = server.transcript(id);
  CHECK(contains(words, "This is answer number 1."));
  CHECK(contains(words, "\"errorDetail\":\"the AI engine"));
  check_sipp(phone.sipp());
  CHECK(server.idle());
}

TEST_CASE("a slow set-up: the answer comes first, the greeting when it can") {
  GeminiScript plan = script();
  plan.setup_delay_ms = 3000;
  GeminiServer gemini(plan);
  Phone phone;
  CallServer server(options(gemini, phone.port()));
  const std::string id = server.create();
  REQUIRE(server.wait(id, "in-flight").text("status") == "in-flight");
  CHECK(gemini.seen().turns == 0);
  CHECK_FALSE(has_event(id, "call.started", 300ms));
  REQUIRE(phone.hears(1500));
  CHECK(has_event(id, "call.started"));
  server.hangup(id);
  check_end(server, id, server.get(id), "cancelled", "cancelled");
  check_sipp(phone.sipp());
  CHECK(server.idle());
}

TEST_CASE("a set-up that never ends: a ringing telephone is cancelled, an answered one hung up") {
  GeminiScript plan = script();
  plan.setup_delay_ms = -1;
  GeminiServer gemini(plan);
  for (const char* scenario : {"no_answer", "answer"}) {
    CAPTURE(scenario);
    Sipp peer = start_sipp(scenario);
    CallServer server(options(gemini, peer.port(), ", setupMs: 3000"));
    const std::string id = server.create();
    const CallRecord record = server.wait(id, "ended-failed-final");
    const bool answered = record.text("answeredAtUtc") != "";
    CHECK(answered == (scenario == std::string("answer")));
    check_end(server, id, record, "ended-failed-final", answered ? "far-hangup" : "no-answer",
              answered ? Topics{"call.answered", "outbound-ai.finished", "transcript.saved"}
                       : Topics{"outbound-ai.finished"});
    CHECK(contains(record.text("errorDetail"), "setupComplete"));
    check_sipp(peer);
    CHECK(server.idle());
  }
}

TEST_CASE("a refused key ends the call before the answer, as technical failure, and is not shown") {
  GeminiScript plan = script();
  plan.api_key = "another";
  GeminiServer gemini(plan);
  DeafPort trunk;
  CallServer server(options(gemini, trunk.port()));
  const std::string id = server.create();
  const CallRecord record = server.wait(id, "ended-failed-final");
  check_end(server, id, record, "ended-failed-final", "no-answer", {"outbound-ai.finished"});
  CHECK(contains(record.text("errorDetail"), "403"));
  CHECK_FALSE(contains(record.body, "test-key"));
  CHECK(server.idle());
}

TEST_CASE("a fault of an engine in one call does not affect another call") {
  for (const Act act : {Act::drop, Act::close_1011, Act::garbage, Act::garbage_only, Act::fragments,
                        Act::odd_fields, Act::silent_turn, Act::no_answer}) {
    CAPTURE(static_cast<int>(act));
    GeminiServer gemini(script({{2, act}}));
    Phone phone;
    Sipp peer = start_sipp("answer");
    CallServer::Options both = options(gemini, phone.port());
    both.trunks.push_back({"other", peer.port()});
    both.routes = R"([{match: "+4930*", trunkIds: [main]}, {match: "*", trunkIds: [other]}])";
    CallServer server(both);
    const std::string first = server.create();
    REQUIRE(phone.hears(500));  // turn 1 was the first call's
    const std::string second = server.create("", "+4989123456");
    REQUIRE(has_event(second, "call.started"));
    REQUIRE(probe::eventually([&] { return gemini.seen().turns >= 2; }));
    CHECK(phone.hears_to_the_end(1900));
    const int turns = gemini.seen().turns;
    const int64_t before = phone.heard_ms();
    phone.speak(600);
    CHECK(probe::eventually([&] { return gemini.seen().turns > turns; }));
    CHECK(phone.hears(before + 1500));
    CHECK(server.get(first).text("status") == "in-flight");
    server.hangup(second);
    server.hangup(first);
    check_end(server, second, server.get(second), "cancelled", "cancelled");
    check_end(server, first, server.get(first), "cancelled", "cancelled");
    const std::string words = server.transcript(first);
    CHECK_MESSAGE(contains(words, "This is answer number 1."), words);
    CHECK_FALSE(server.transcript(second).empty());
    check_sipp(peer);
    check_sipp(phone.sipp());
    CHECK(server.idle());
  }
}

TEST_CASE("a voicemail is hung up at once and not called again") {
  GeminiScript plan = script({{1, Act::tool_call}});
  plan.tool = "voicemail_detected";
  GeminiServer gemini(plan);
  Sipp peer = start_sipp("answer");
  CallServer server(options(gemini, peer.port()));
  const std::string id = server.create(R"(,"retries":2)");
  const CallRecord record = server.wait(id, "ended-success");
  check_end(server, id, record, "ended-success", "voicemail");
  CHECK(record.integer("retriesLeft") == 2);
  CHECK(record.integer("durationSec") <= 20);
  check_sipp(peer);
  CHECK(server.idle());
}

TEST_CASE("a callee who asks for a later call hears goodbye and is not called again automatically") {
  GeminiScript plan = script({{1, Act::tool_call}});
  plan.tool = "callback_later";
  GeminiServer gemini(plan);
  Phone phone;
  CallServer server(options(gemini, phone.port()));
  const std::string id = server.create(R"(,"retries":2)");
  const CallRecord record = server.wait(id, "ended-success");
  check_end(server, id, record, "ended-success", "not-now");
  CHECK(record.integer("retriesLeft") == 2);
  CHECK(phone.heard_ms() >= 1700);
  CHECK(contains(server.transcript(id), "This is answer number 99."));
  check_sipp(phone.sipp());
  CHECK(server.idle());
}

TEST_CASE("a call of an unknown tool gets an answer and the call continues") {
  GeminiScript plan = script({{1, Act::tool_call}});
  plan.tool = "transfer_to_user";
  GeminiServer gemini(plan);
  Phone phone;
  CallServer server(options(gemini, phone.port()));
  const std::string id = server.create();
  REQUIRE(phone.hears(1500));
  REQUIRE(gemini.seen().tool_responses.size() == 1);
  CHECK(contains(gemini.seen().tool_responses[0], "not possible"));
  CHECK(server.get(id).text("status") == "in-flight");
  server.hangup(id);
  check_end(server, id, server.get(id), "cancelled", "cancelled");
  check_sipp(phone.sipp());
}

TEST_CASE("a call ends at its time limit") {
  GeminiServer gemini;
  Sipp peer = start_sipp("answer");
  CallServer server(options(gemini, peer.port()));
  const std::string id = server.create(R"(,"maxSeconds":10)");
  const CallRecord record = server.wait(id, "ended-success");
  check_end(server, id, record, "ended-success", "max-duration");
  CHECK(record.integer("durationSec") >= 10);
  CHECK(record.integer("durationSec") <= 40);
  check_sipp(peer);
  CHECK(server.idle());
}

TEST_CASE("pressed keys reach the engine as text, and the transcript") {
  GeminiServer gemini;
  Phone phone;
  CallServer server(options(gemini, phone.port()));
  const std::string id = server.create();
  REQUIRE(phone.hears(1000));
  phone.press("42#");
  CHECK(probe::eventually([&] {
    for (const std::string& text : gemini.seen().texts)
      if (contains(text, "42#")) return true;
    return false;
  }));
  server.hangup(id);
  check_end(server, id, server.get(id), "cancelled", "cancelled");
  CHECK(contains(server.transcript(id), "42#"));
  check_sipp(phone.sipp());
  CHECK(server.idle());
}
