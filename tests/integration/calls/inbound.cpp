// Calls to virtual numbers: a real telephone calls a whole server, and the AI answers.
#include <doctest/doctest.h>

#include "number_call.h"
#include "support/json_without_host.h"
#include "support/probe_requests.h"

using namespace patchbay;
using namespace patchbay::test;
using support::GeminiScript;
using support::GeminiServer;
using Act = GeminiScript::Event;

TEST_CASE("a telephone calls a virtual number: the AI answers, talks and ends the call") {
  GeminiScript script;
  script.at_turn = {{2, Act::tool_call}};
  GeminiServer gemini(script);
  WebhookReceiver receiver({"0123456789abcdef", "", 0, "", ""});
  TemporaryFolder folder;
  CallServer server(number_options(gemini, "", &receiver));
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
  CHECK(is_loud(phone->heard()));
}

TEST_CASE("a caller who hangs up ends the call as far-hangup, and a number without transcripts has none") {
  GeminiServer gemini;
  CallServer server(number_options(gemini, ", saveTranscripts: false"));
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
  CallServer server(number_options(gemini, ", maxDurationSec: 10"));
  auto phone = call(server);
  REQUIRE(phone.ok());
  const std::string id = call_id(server);
  CHECK(topics(server, id, "transcript.saved").size() == 4);
  CHECK(contains(payload(id, "call.ended"), R"("outcome":"max-duration","durationSec":10)"));
  CHECK(server.idle());
}

TEST_CASE("maxConcurrentCalls of the tenant counts both directions, and a further caller hears busy") {
  GeminiServer gemini;
  CallServer::Options options = number_options(gemini);
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
  CallServer server(number_options(gemini));
  auto phone = call(server);
  REQUIRE(phone.ok());
  const std::string id = call_id(server);
  CHECK(probe::eventually([&] { return contains(phone->output(), "480"); }));
  CHECK(server.idle());
  CHECK(events_of(id).empty());
  CHECK(server.metric("patchbay_ai_voice_inbound_ended_total{outcome=\"not-answered\"}") == 1);
}
