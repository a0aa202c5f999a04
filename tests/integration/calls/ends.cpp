// How calls end, with SIPp as the callee: checks the record, the events and SIPp's messages.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "call_server.h"
#include "plugins/sip-trunk/raw_peer.h"
#include "support/gemini_server.h"

using namespace patchbay;
using namespace patchbay::test;
using support::GeminiScript;
using support::GeminiServer;

namespace {

// The sequences of events that a call may have.
using Topics = std::vector<std::vector<std::string>>;

const Topics kNeverAnswered = {{"outbound-ai.finished"}};
const Topics kNeverStarted = {{"call.answered", "outbound-ai.finished", "transcript.saved"}};
const Topics kTalked = {{"call.answered", "call.started", "outbound-ai.finished", "transcript.saved"}};
// A call that is ended without a look at the AI, which may be ready by then or not.
const Topics kAnswered = {kNeverStarted.front(), kTalked.front()};

struct Server : GeminiServer, CallServer {
  explicit Server(std::vector<Trunk> trunks, std::string sip_trunk = "", std::string ai_voice = "{}")
      : CallServer(options(*this, std::move(trunks), std::move(sip_trunk), std::move(ai_voice))) {}
  Server(const Sipp& peer, std::string sip_trunk = "", std::string ai_voice = "{}")
      : Server(std::vector<Trunk>{{"main", peer.port()}}, std::move(sip_trunk), std::move(ai_voice)) {}

  static Options options(const GeminiServer& gemini, std::vector<Trunk> trunks, std::string sip_trunk,
                         std::string ai_voice) {
    Options out;
    out.trunks = std::move(trunks);
    out.engine_gemini = "{url: \"" + gemini.url() + "\", caFile: " + gemini.ca_file() + "}";
    out.sip_trunk = std::move(sip_trunk);
    out.ai_voice = std::move(ai_voice);
    return out;
  }
};

// Checks that hold for every ended call.
void check_end(CallServer& server, const std::string& id, const CallRecord& record, const std::string& status,
               const std::string& reason, const Topics& topics) {
  INFO(record.body);
  INFO(server.server().log());
  CHECK(record.text("status") == status);
  CHECK(record.text("endedReason") == reason);
  const std::vector<std::string> seen = server.topics(id);
  std::string list;
  for (const std::string& topic : seen) list += topic + ' ';
  CAPTURE(list);
  CHECK(std::find(topics.begin(), topics.end(), seen) != topics.end());
  const Json finished = server.last_event(id, "outbound-ai.finished");
  CHECK(finished.root().text("outcome", "") == reason);
  CHECK(finished.root().text("errorDetail", "(absent)") == record.text("errorDetail"));
  CHECK(server.idle());
}

}  // namespace

TEST_CASE("a busy telephone ends the call with no-answer") {
  Sipp peer = start_sipp("reject", {{"status", "486 Busy Here"}, {"extra", "X-Test: 1"}});
  Server server(peer);
  const std::string id = server.create();
  const CallRecord record = server.wait(id, "ended-failed-final");
  check_end(server, id, record, "ended-failed-final", "no-answer", kNeverAnswered);
  CHECK(record.text("errorDetail") == "busy (486)");
  CHECK(server.last_event(id, "outbound-ai.finished").root().integer("sipStatus", -1) == 486);
  CHECK(record.text("trunkId") == "main");
  CHECK(record.text("answeredAtUtc") == "");
  CHECK(record.integer("durationSec") == 0);
  CHECK(record.text("transcriptPath") == "");
  CHECK_FALSE(server.last_event(id, "outbound-ai.finished").root().boolean("answered", true));
  check_sipp(peer);
}

TEST_CASE("a trunk that fails is followed by the next one") {
  for (const char* status : {"503 Service Unavailable", "403 Forbidden", "408 Request Timeout"}) {
    CAPTURE(status);
    Sipp first = start_sipp("reject", {{"status", status}, {"extra", "X-Test: 1"}});
    Sipp second = start_sipp("talk_then_bye", {{"ms", "1000"}});
    Server server({{"first", first.port()}, {"second", second.port()}});
    const std::string id = server.create();
    const CallRecord record = server.wait(id, "ended-success");
    check_end(server, id, record, "ended-success", "far-hangup", kAnswered);
    CHECK(record.text("trunkId") == "second");
    CHECK(server.last_event(id, "call.answered").root().text("trunkId", "") == "second");
    check_sipp(first);
    check_sipp(second);
  }
}

TEST_CASE("a trunk that does not answer is followed by the next one") {
  DeafPort first;
  Sipp second = start_sipp("talk_then_bye", {{"ms", "1000"}});
  Server server({{"first", first.port()}, {"second", second.port()}}, ", silenceTimeoutMs: 1000");
  const std::string id = server.create();
  const CallRecord record = server.wait(id, "ended-success");
  check_end(server, id, record, "ended-success", "far-hangup", kAnswered);
  CHECK(record.text("trunkId") == "second");
  CHECK_FALSE(first.received().empty());
  check_sipp(second);
}

TEST_CASE("a refusal about the callee is not tried on another trunk") {
  for (const char* status : {"404 Not Found", "486 Busy Here", "603 Decline", "484 Address Incomplete"}) {
    CAPTURE(status);
    Sipp first = start_sipp("reject", {{"status", status}, {"extra", "X-Test: 1"}});
    DeafPort second;
    Server server({{"first", first.port()}, {"second", second.port()}});
    const std::string id = server.create();
    const CallRecord record = server.wait(id, "ended-failed-final");
    check_end(server, id, record, "ended-failed-final", "no-answer", kNeverAnswered);
    CHECK(second.received().empty());
    check_sipp(first);
  }
}

TEST_CASE("unknown numbers and declined calls are not dialled again") {
  for (const char* status : {"404 Not Found", "410 Gone", "484 Address Incomplete", "604 Does Not Exist",
                             "603 Decline", "607 Unwanted", "608 Rejected"}) {
    CAPTURE(status);
    Sipp peer = start_sipp("reject", {{"status", status}, {"extra", "X-Test: 1"}});
    Server server(peer);
    const std::string id = server.create(R"(,"retries":3)");
    const CallRecord record = server.wait(id, "ended-failed-final");
    check_end(server, id, record, "ended-failed-final", "no-answer", kNeverAnswered);
    const std::string code = std::string(status).substr(0, 3);
    CHECK(record.text("errorDetail").find("(" + code + ")") != std::string::npos);
    CHECK(record.integer("retriesLeft") == 3);
    const Json finished = server.last_event(id, "outbound-ai.finished");
    CHECK(finished.root().integer("sipStatus", -1) == std::stoi(code));
    CHECK(finished.root()["nextAttemptUtc"].is_null());
    check_sipp(peer);
  }
}

TEST_CASE("when all trunks fail the call has failed for a technical reason") {
  Sipp first = start_sipp("reject", {{"status", "503 Service Unavailable"}, {"extra", "X-Test: 1"}});
  Sipp second = start_sipp("reject", {{"status", "500 Internal"}, {"extra", "X-Test: 1"}});
  Server server({{"first", first.port()}, {"second", second.port()}});
  const std::string id = server.create();
  const CallRecord record = server.wait(id, "ended-failed-final");
  check_end(server, id, record, "ended-failed-final", "no-answer", kNeverAnswered);
  CHECK(record.text("errorDetail").find("500") != std::string::npos);
  check_sipp(first);
  check_sipp(second);
}

TEST_CASE("a redirect is a failure and is not followed") {
  DeafPort elsewhere;
  Sipp peer = start_sipp(
      "reject", {{"status", "302 Moved Temporarily"},
                 {"extra", "Contact: <sip:+4930999@127.0.0.1:" + std::to_string(elsewhere.port()) + ">"}});
  Server server(peer);
  const std::string id = server.create();
  const CallRecord record = server.wait(id, "ended-failed-final");
  check_end(server, id, record, "ended-failed-final", "no-answer", kNeverAnswered);
  CHECK(record.text("errorDetail").find("302") != std::string::npos);
  CHECK(elsewhere.received().empty());
  check_sipp(peer);
}

TEST_CASE("a proxy's challenge is answered with the trunk's credentials") {
  Sipp peer = start_sipp("challenge_407");
  Server server({{"main", peer.port(), ", username: alice, password: secret, realm: trunk.test"}});
  const std::string id = server.create();
  const CallRecord talking = server.wait(id, "in-flight");
  INFO(server.server().log());
  INFO(peer.messages());
  REQUIRE(talking.text("status") == "in-flight");
  CHECK(server.hangup(id).status == 200);
  check_end(server, id, server.get(id), "cancelled", "cancelled", kAnswered);
  check_sipp(peer);
  CHECK(server.server().log().find("\"secret\"") == std::string::npos);

  // The INVITE, the challenge, and the INVITE with credentials.
  const CallRecord record = server.ladder(id);
  const std::string& ladder = record.body;
  CHECK(ladder.find("Proxy-Authorization: Digest username=\\\"alice\\\"") != std::string::npos);
  CHECK(ladder.find("response=***") != std::string::npos);
  CHECK(ladder.find("response=\\\"") == std::string::npos);
  const auto messages = record.json.root()["messages"];
  REQUIRE(messages.size() >= 8);
  CHECK(messages.at(0).text("direction", "") == "sent");
  CHECK(messages.at(0).text("summary", "").find("INVITE sip:+4930123456@") == 0);
  CHECK(messages.at(1).text("summary", "").find("407 ") == 0);
  CHECK(messages.at(1).text("peer", "") == "udp 127.0.0.1:" + std::to_string(peer.port()));
  CHECK(messages.at(messages.size() - 1).text("summary", "").find("200 ") == 0);
  CHECK(server.ladder("oac-000000000000").text("error") == "not_found");
}

TEST_CASE("a call answered without SDP counts as answered, and is not dialled again") {
  Sipp peer = start_sipp("no_sdp");
  Server server(peer);
  const std::string id = server.create(R"(,"retries":2)");
  const CallRecord record = server.wait(id, "ended-failed-final");
  check_end(server, id, record, "ended-failed-final", "far-hangup", kNeverStarted);
  CHECK(record.text("errorDetail") == "the answer carried no usable media");
  CHECK(record.text("answeredAtUtc") != "");
  CHECK(record.integer("retriesLeft") == 2);
  check_sipp(peer);
}

TEST_CASE("an answered call without audio is ended") {
  Sipp peer = start_sipp("answer");
  Server server(peer, ", noMediaTimeoutSec: 3");
  const std::string id = server.create();
  const CallRecord record = server.wait(id, "ended-failed-final");
  check_end(server, id, record, "ended-failed-final", "far-hangup", kAnswered);
  CHECK(record.text("errorDetail").find("no media for") == 0);
  CHECK(record.integer("durationSec") >= 1);
  CHECK(record.integer("durationSec") <= 30);
  check_sipp(peer);
}

TEST_CASE("the far side hangs up") {
  Sipp peer = start_sipp("talk_then_bye", {{"ms", "10000"}});  // time for the AI to begin
  Server server(peer);
  const std::string id = server.create();
  const CallRecord record = server.wait(id, "ended-success");
  check_end(server, id, record, "ended-success", "far-hangup", kTalked);
  CHECK(record.text("errorDetail") == "");
  CHECK(record.text("transcriptPath") == id + ".json");
  CHECK(record.integer("durationSec") >= 1);
  const Json finished = server.last_event(id, "outbound-ai.finished");
  CHECK(finished.root().boolean("answered", false));
  CHECK(finished.root().text("trunk", "") == "main");
  CHECK(finished.root().integer("talkSec", -1) == record.integer("durationSec"));
  CHECK(server.transcript(id).find("\"outcome\":\"far-hangup\"") != std::string::npos);
  check_sipp(peer);
}

TEST_CASE("the far side hangs up right after its answer") {
  Sipp peer = start_sipp("answer_then_bye");
  Server server(peer);
  const std::string id = server.create();
  const CallRecord record = server.wait(id, "ended-success");
  check_end(server, id, record, "ended-success", "far-hangup", kAnswered);
  check_sipp(peer);
}

TEST_CASE("a hang-up during a call sends BYE, and a second one is a no-op") {
  Sipp peer = start_sipp("answer");
  Server server(peer);
  const std::string id = server.create();
  REQUIRE(server.wait(id, "in-flight").text("status") == "in-flight");
  const http::Response first = server.hangup(id);
  CHECK(first.body ==
        R"({"ok":true,"callId":")" + id + R"(","newStatus":"cancelled","actor":"tester","wasNoop":false})");
  const http::Response second = server.hangup(id);
  CHECK(second.body.find(R"("newStatus":"cancelled","actor":"tester","wasNoop":true)") != std::string::npos);
  check_end(server, id, server.get(id), "cancelled", "cancelled", kAnswered);
  check_sipp(peer);
}

TEST_CASE("a hang-up during ringing sends CANCEL") {
  Sipp peer = start_sipp("no_answer");
  Server server(peer);
  const std::string id = server.create(R"(,"retries":3)");
  REQUIRE(server.logged("rings"));
  CHECK(server.hangup(id).body.find(R"("newStatus":"cancelled")") != std::string::npos);
  const CallRecord record = server.get(id);
  check_end(server, id, record, "cancelled", "cancelled", kNeverAnswered);
  CHECK(record.text("trunkId") == "main");
  CHECK(record.integer("retriesLeft") == 3);
  check_sipp(peer);
}

TEST_CASE("an answer that crosses the CANCEL gets ACK and BYE, and the call is cancelled once") {
  Sipp peer = start_sipp("cancel_race");
  Server server(peer);
  const std::string id = server.create();
  REQUIRE(server.logged("rings"));
  CHECK(server.hangup(id).body.find(R"("newStatus":"cancelled")") != std::string::npos);
  check_sipp(peer);
  check_end(server, id, server.get(id), "cancelled", "cancelled", kNeverAnswered);
}

TEST_CASE("a call is held, resumed and ended by the far side") {
  // Held for longer than the limit of silence, which does not apply to held calls.
  Sipp peer = start_sipp("hold_resume", {{"ms", "4000"}});
  Server server(peer, ", noMediaTimeoutSec: 3");
  const std::string id = server.create();
  const CallRecord record = server.wait(id, "ended-success");
  check_end(server, id, record, "ended-success", "far-hangup", kAnswered);
  CHECK(record.integer("durationSec") >= 4);
  check_sipp(peer);
}

namespace {

// How long after start(server) the second trunk had its INVITE.
std::chrono::milliseconds failover_time(uint16_t first, const std::function<void(CallServer&)>& start) {
  RawPeer second;
  CallServer::Options options;
  options.trunks = {{"first", first}, {"second", second.port()}};
  CallServer server(options);
  const std::string id = server.create();
  start(server);
  const auto begin = std::chrono::steady_clock::now();
  const std::string invite = second.receive("INVITE ");
  const auto took =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
  CHECK_FALSE(invite.empty());
  second.send(server.sip_port(), answer_to(invite, "486 Busy Here"));
  const CallRecord record = server.wait(id, "ended-failed-final");
  CHECK(record.text("trunkId") == "second");
  return took;
}

}  // namespace

TEST_CASE("the next trunk gets its INVITE at once after a refusal, and after five seconds of silence") {
  // A time limit only in a run of its own, because this machine may be busy.
  const bool is_timed = std::getenv("PATCHBAY_FAILOVER_TIMED") != nullptr;
  const RawPeer refusing, silent;
  const auto refused = failover_time(refusing.port(), [&](CallServer& server) {
    const std::string invite = refusing.receive("INVITE ");
    refusing.send(server.sip_port(), answer_to(invite, "503 Service Unavailable"));
  });
  const auto unanswered =
      failover_time(silent.port(), [&](CallServer&) { CHECK_FALSE(silent.receive("INVITE ").empty()); });
  MESSAGE("after 503: " << refused.count() << " ms, after silence: " << unanswered.count() << " ms");
  CHECK(refused < std::chrono::milliseconds(is_timed ? 2000 : 30'000));
  CHECK(unanswered < std::chrono::milliseconds(is_timed ? 5500 : 30'000));
}
