// Retries and schedules, with a manual clock.
#include <doctest/doctest.h>
#include <patchbay/hex.h>
#include <patchbay/utc.h>

#include "call_server.h"
#include "crypto/digest.h"
#include "runtime/manual_clock.h"
#include "support/gemini_server.h"

using namespace patchbay;
using namespace patchbay::test;
using namespace std::chrono_literals;
using support::GeminiServer;

namespace {

using Topics = std::vector<std::string>;

struct Clock {
  core::ManualClock clock;
};

struct Server : GeminiServer, Clock, CallServer {
  explicit Server(uint16_t trunk_port) : CallServer(options(*this, clock, trunk_port)) {}

  static Options options(const GeminiServer& gemini, core::ManualClock& driven, uint16_t trunk_port) {
    Options out;
    out.trunks = {{"main", trunk_port}};
    out.engine_gemini = "{url: \"" + gemini.url() + "\", caFile: " + gemini.ca_file() + "}";
    out.ai_voice = "{ringTimeoutSec: 5}";
    out.clock = &driven;
    return out;
  }
  std::string in(std::chrono::milliseconds from_now) { return utc_text(clock.now_ms() + from_now.count()); }
};

// Replaces the whitelist's numbers.
void write_whitelist(const std::string& numbers) {
  const std::string body = "{\"numbers\":" + numbers + "}";
  const std::string signed_text =
      "whitelist-write|" + std::string(CallServer::kTenant) + "|" + std::to_string(body.size());
  http::Request request;
  request.tenant = CallServer::kTenant;
  request.remote = "192.0.2.7";
  request.headers.add("x-platform-admin-signature",
                      to_hex(lib::hmac_sha256("0123456789abcdef01234567", signed_text)));
  request.body = Buffer::copy(body);
  const auto response = probe::ask("POST", "/signal.ashx", request, "whitelist=write");
  REQUIRE(response);
  REQUIRE(response->status == 200);
}

}  // namespace

TEST_CASE("an unanswered call is retried after its delay") {
  Sipp peer = start_sipp("no_answer", {}, 2);
  Server server(peer.port());
  const std::string id = server.create(R"(,"retries":1,"retryDelayMinutes":7)");
  CallRecord record = server.wait(id, "ended-failed-retry-pending");
  INFO(server.server().log());
  CHECK(record.text("endedReason") == "no-answer");
  CHECK(record.text("errorDetail") == "rang out");
  const Json first = server.last_event(id, "outbound-ai.finished");
  CHECK(first.root().integer("attempt", -1) == 1);
  CHECK(first.root().integer("retriesLeft", -1) == 1);
  const auto ended_ms = parse_utc(record.text("endedAtUtc"));
  REQUIRE(ended_ms);
  CHECK(first.root().text("nextAttemptUtc", "") == utc_text(*ended_ms + 7 * 60'000));
  CHECK(record.integer("attempt") == 1);
  CHECK(record.integer("retriesLeft") == 1);
  CHECK(server.topics(id) == Topics{"outbound-ai.finished"});
  CHECK(server.idle());

  server.clock.advance(7min - 2s);
  std::this_thread::sleep_for(300ms);
  CHECK(server.get(id).text("status") == "ended-failed-retry-pending");
  server.clock.advance(3s);
  record = server.wait(id, "dispatching");
  CHECK(record.text("status") == "dispatching");
  CHECK(record.integer("attempt") == 2);
  CHECK(record.integer("retriesLeft") == 0);
  CHECK(record.text("endedReason") == "");

  record = server.wait(id, "ended-failed-final");
  CHECK(record.text("status") == "ended-failed-final");
  CHECK(record.integer("attempt") == 2);
  CHECK(server.topics(id, 2) == Topics{"outbound-ai.finished", "outbound-ai.finished"});
  CHECK(server.idle());
  check_sipp(peer);
  // Each attempt is another call for the far side.
  CHECK(peer.messages().find("Call-ID: " + id + "-1@") != std::string::npos);
  CHECK(peer.messages().find("Call-ID: " + id + "-2@") != std::string::npos);
  server.clock.advance(24h);
  std::this_thread::sleep_for(300ms);
  CHECK(server.get(id).integer("attempt") == 2);
}

TEST_CASE("a call with a pending retry can be cancelled, and is then not dialled") {
  Sipp peer = start_sipp("reject", {{"status", "486 Busy Here"}, {"extra", "X-Test: 1"}});
  Server server(peer.port());
  const std::string id = server.create(R"(,"retries":1,"retryDelayMinutes":1)");
  server.wait(id, "ended-failed-retry-pending");
  check_sipp(peer);
  const http::Response hangup = server.hangup(id);
  CHECK(hangup.body.find(R"("newStatus":"cancelled")") != std::string::npos);
  CHECK(hangup.body.find(R"("wasNoop":false)") != std::string::npos);
  server.clock.advance(2min);
  std::this_thread::sleep_for(300ms);
  const CallRecord record = server.get(id);
  CHECK(record.text("status") == "cancelled");
  CHECK(record.text("endedReason") == "cancelled");
  CHECK(record.text("errorDetail") == "");
  // The attempt that is not dialled has an end event, so that subscribers are notified.
  CHECK(record.integer("attempt") == 2);
  CHECK(record.integer("retriesLeft") == 0);
  CHECK(server.topics(id, 2) == Topics{"outbound-ai.finished", "outbound-ai.finished"});
  const Json finished = server.last_event(id, "outbound-ai.finished");
  CHECK(finished.root().text("outcome", "") == "cancelled");
  CHECK(finished.root().text("errorDetail", "(absent)") == "");
  CHECK(finished.root().integer("attempt", -1) == 2);
  CHECK(finished.root()["nextAttemptUtc"].is_null());
}

TEST_CASE("a hang-up at any moment of an attempt that leaves a retry cancels the retry, too") {
  constexpr int kCalls = 60;
  Sipp peer = start_sipp("reject", {{"status", "486 Busy Here"}, {"extra", "X-Test: 1"}}, 10 * kCalls);
  Server server(peer.port());
  for (int i = 0; i < kCalls; ++i) {
    const std::string id = server.create(R"(,"retries":1,"retryDelayMinutes":1)");
    // No synchronisation: one of the moments falls between the end and its notification.
    std::this_thread::sleep_for(std::chrono::microseconds(250) * i);
    const http::Response hangup = server.hangup(id);
    CHECK(hangup.body.find(R"("newStatus":"cancelled")") != std::string::npos);
    CHECK(server.get(id).text("status") == "cancelled");
  }
}

TEST_CASE("a scheduled call is dialled at its time") {
  Sipp peer = start_sipp("reject", {{"status", "486 Busy Here"}, {"extra", "X-Test: 1"}});
  Server server(peer.port());
  const std::string id = server.create(R"(,"scheduleAtUtc":")" + server.in(90s) + "\"");
  CHECK(server.get(id).text("status") == "scheduled");
  server.clock.advance(80s);
  std::this_thread::sleep_for(300ms);
  CHECK(server.get(id).text("status") == "scheduled");
  server.clock.advance(11s);
  const CallRecord record = server.wait(id, "ended-failed-final");
  CHECK(record.text("status") == "ended-failed-final");
  CHECK(record.text("scheduledForUtc") != "(absent)");
  CHECK(server.topics(id) == Topics{"outbound-ai.finished"});
  check_sipp(peer);
}

TEST_CASE("a number removed from the whitelist is not dialled") {
  DeafPort trunk;
  Server server(trunk.port());
  const std::string id = server.create(R"(,"retries":3,"scheduleAtUtc":")" + server.in(90s) + "\"");
  write_whitelist(R"([{"number":"112"}])");
  server.clock.advance(91s);
  const CallRecord record = server.wait(id, "ended-failed-final");
  INFO(record.body);
  INFO(server.server().log());
  CHECK(record.text("status") == "ended-failed-final");
  CHECK(record.text("errorDetail") == "not whitelisted");
  CHECK(record.integer("retriesLeft") == 3);
  CHECK(server.topics(id) == Topics{"outbound-ai.finished"});
  CHECK(server.idle());
  CHECK(trunk.received().empty());
}

TEST_CASE("ambiguous spellings of a number are refused and not dialled") {
  DeafPort trunk;
  Server server(trunk.port());
  write_whitelist(R"([{"number":"112"}])");
  for (const char* phone : {"",
                            "+",
                            "112",
                            "0900123456",
                            "+0491234567",
                            "+49",
                            "+49301234567890123",
                            "sip:+4930123456@evil.example",
                            "+4930123456@evil.example",
                            "tel:+4930123456",
                            "+4930123456;phone-context=evil",
                            "+4930123456;ext=1",
                            "+4930123456,,1",
                            "+4930123456#",
                            "*21*+4930123456#",
                            "+4930123456p1",
                            "+49 30 123456 x1",
                            "+49%3030123456",
                            "+4930123456\r\nX-Evil: 1",
                            "+4930123456\n",
                            "+49\t30123456",
                            "+4930123456\\u0000",
                            "++4930123456",
                            "+49+30123456",
                            "0+4930123456",
                            "000049301234567",
                            "+4930123456?Replaces=1",
                            "+4930\u200b123456",
                            "\uff0b4930123456",
                            "+\u0664\u0669301234567",
                            "+4930123456,+4930999999",
                            "+4930123456/+4930999999",
                            "\"+4930123456\"",
                            "<+4930123456>"}) {
    CAPTURE(phone);
    const http::Response response = server.post("", phone);
    CHECK(response.status == 400);
    CHECK(response.body.find("\"invalid_request\"") != std::string::npos);
  }
  CHECK(trunk.received().empty());
  CHECK(server.metric("patchbay_ai_voice_attempts") == 0);
}

TEST_CASE("every valid spelling dials the same number") {
  for (const char* phone : {"+4930123456", "0049 30 123456", "+49 (30) 12-34.56"}) {
    CAPTURE(phone);
    Sipp peer = start_sipp("reject", {{"status", "486 Busy Here"}, {"extra", "X-Test: 1"}});
    Server server(peer.port());
    const std::string id = server.create("", phone);
    CHECK(server.wait(id, "ended-failed-final").text("phone") == "+4930123456");
    check_sipp(peer);
    CHECK(peer.messages().find("INVITE sip:+4930123456@127.0.0.1") != std::string::npos);
  }
}
