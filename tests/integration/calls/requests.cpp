// POST and GET of calls, without a telephone: validation, idempotency, lists and limits.
#include <doctest/doctest.h>
#include <patchbay/utc.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "call_server.h"
#include "runtime/manual_clock.h"
#include "support/probe_requests.h"
#include "support/test_store.h"

using namespace patchbay;
using namespace patchbay::test;
using namespace std::chrono_literals;

namespace {

CallServer::Options options(uint16_t trunk_port, const std::string& tenant = "{}",
                            core::ManualClock* clock = nullptr, const std::string& server = "") {
  CallServer::Options out;
  out.trunks = {{"main", trunk_port}};
  out.ai_voice = tenant;
  out.ai_voice_server = server;
  out.clock = clock;
  return out;
}

// The first value that a SELECT finds in the server's database.
std::string stored(CallServer& server, const std::string& sql) {
  return test::sql_value(server.server().data() / "patchbay.db", sql).value_or("");
}

// A POST of a call for the engine `local`, as JSON members.
http::Response post(const std::string& members, const NameValues& headers = {}) {
  probe::Call call;
  call.method = "POST";
  call.path = "/api.ashx/v1/calls";
  call.body = R"({"phone":"+4930123456",)" + members + "}";
  call.headers = headers;
  call.tenant = CallServer::kTenant;
  return probe::call(call);
}

std::string usual(const std::string& more = "") {
  return R"("email":"ops@example.com","systemPrompt":"Be brief.")" + more;
}

std::string list(const std::string& status, int64_t limit = 50, int64_t offset = 0,
                 int64_t* total = nullptr) {
  probe::Call call;
  call.method = "GET";
  call.path = "/api.ashx/v1/calls";
  if (!status.empty()) call.query = {{"status", status}};
  call.tenant = CallServer::kTenant;
  call.limit = limit;
  call.offset = offset;
  const http::Response response = probe::call(call);
  REQUIRE(response.status == 200);
  if (total != nullptr) *total = response.total;
  return response.body;
}

int64_t total(const std::string& status) {
  int64_t value = -1;
  list(status, 50, 0, &value);
  return value;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("invalid requests are refused with a message") {
  DeafPort trunk;
  CallServer server(options(trunk.port()));
  struct Case {
    const char* members;
    const char* says;
  };
  for (const Case& each : {
           Case{R"("systemPrompt":"x")", "email is required"},
           Case{R"("systemPrompt":"x","email":"nobody")", "email must be "},
           Case{R"("systemPrompt":"x","email":"a@b@c")", "email must be "},
           Case{R"("systemPrompt":"x","email":"a @b")", "email must be "},
           Case{R"("systemPrompt":"x","email":"a@b","language":"e")", "language must be "},
           Case{R"("systemPrompt":"x","email":"a@b","language":"en_US")", "language must be "},
           Case{R"("systemPrompt":"x","email":"a@b","apiKey":"***")", "apiKey"},
           Case{R"("systemPrompt":"x","email":"a@b","apiKey":"with a blank")", "apiKey must consist of"},
           Case{R"("systemPrompt":"x","email":"a@b","scheduleAtUtc":"")", "scheduleAtUtc must be"},
           Case{R"("systemPrompt":"a\u0000b","email":"a@b")", "systemPrompt"},
           Case{R"("systemPrompt":"x","email":"a@b","apiKey":"test-key\u0000")", "apiKey"},
           Case{R"("systemPrompt":"x","email":"a@b","model":"gemini-x\u0000","apiKey":"test-key")", "model"},
           Case{R"("systemPrompt":"x","email":"a@b","maxSeconds":99999999999999999999999)", "maxSeconds"},
       }) {
    CAPTURE(std::string(each.members));
    const http::Response response = post(each.members);
    INFO(response.body);
    CHECK(response.status == 400);
    CHECK(contains(response.body, each.says));
    CHECK_FALSE(contains(response.body, "^["));
  }
  CHECK(total("") == 0);
}

TEST_CASE("null for an optional member counts as absent") {
  DeafPort trunk;
  core::ManualClock clock;
  CallServer server(options(trunk.port(), "{}", &clock));
  const std::string later = utc_text(clock.now_ms() + 3600'000);
  const http::Response response = post(usual(
      R"(,"displayName":null,"apiKey":null,"model":null,"voice":null,"language":null,"maxSeconds":null,)"
      R"("retries":null,"retryDelayMinutes":null,"scheduleAtUtc":")" +
      later + "\""));
  INFO(response.body);
  REQUIRE(response.status == 200);
  const CallRecord record = server.get(probe::text_member(response.body, "callId"));
  CHECK(record.text("displayName") == CallServer::kPhone);
  CHECK(record.text("voice") == "Aoede");
  CHECK(record.text("language") == "en-US");
  CHECK(record.text("model") == "local");
  CHECK(record.integer("retryDelayMinutes") == 5);
}

TEST_CASE("a repeated request gets the same answer as the first one") {
  core::ManualClock clock;
  DeafPort trunk;
  CallServer server(options(trunk.port(), "{}", &clock));
  const std::string later = utc_text(clock.now_ms() + 3600'000);
  const std::string body = usual(R"(,"scheduleAtUtc":")" + later + "\"");
  for (const char* key : {"first", "second"}) {  // of a new number, and of one that is known by then
    CAPTURE(key);
    const NameValues headers{{"idempotency-key", key}};
    const http::Response first = post(body, headers);
    REQUIRE(first.status == 200);
    CHECK(contains(first.body,
                   key == std::string("first") ? R"("whitelistAdded":true)" : R"("whitelistAdded")"));
    const http::Response again = post(body, headers);
    CHECK(again.status == 200);
    CHECK(again.body == first.body);
    CHECK(again.headers.text("Idempotent-Replayed") == "true");
    CHECK(post(usual(R"(,"maxSeconds":30)"), headers).status == 409);
  }
  CHECK(total("") == 2);
}

TEST_CASE("lists by status have the newest first and correct totals") {
  core::ManualClock clock;
  DeafPort trunk;
  CallServer server(options(trunk.port(), "{}", &clock));
  std::vector<std::string> ids;
  for (int i = 0; i < 6; ++i) {
    clock.advance(1s);
    const std::string later = utc_text(clock.now_ms() + 3600'000);
    const http::Response response = post(usual(R"(,"scheduleAtUtc":")" + later + "\""));
    REQUIRE(response.status == 200);
    ids.push_back(probe::text_member(response.body, "callId"));
  }
  CHECK(server.hangup(ids[1]).status == 200);
  CHECK(server.hangup(ids[4]).status == 200);
  CHECK(total("") == 6);
  CHECK(total("scheduled") == 4);
  CHECK(total("cancelled") == 2);
  CHECK(total("scheduled,cancelled,scheduled") == 6);
  CHECK(total("in-flight") == 0);
  const auto at = [](const std::string& text, const std::string& id) { return text.find(id); };
  const std::string cancelled = list("cancelled");
  CHECK(at(cancelled, ids[4]) < at(cancelled, ids[1]));
  CHECK_FALSE(contains(cancelled, ids[5]));
  const std::string page = list("cancelled,scheduled", 3, 1);  // the 2nd to the 4th newest
  CHECK(at(page, ids[4]) < at(page, ids[3]));
  CHECK(at(page, ids[3]) < at(page, ids[2]));
  CHECK(contains(page, ids[2]));
  CHECK_FALSE(contains(page, ids[5]));
  CHECK_FALSE(contains(page, ids[1]));
}

TEST_CASE("beyond the server's maxCalls a call waits, whatever its tenant's limit is") {
  DeafPort trunk;
  CallServer server(options(trunk.port(), "{}", nullptr, "maxCalls: 1"));
  const http::Response first = post(usual());
  REQUIRE(first.status == 200);
  const std::string running = probe::text_member(first.body, "callId");
  REQUIRE(probe::eventually([&] { return server.metric("patchbay_ai_voice_attempts") == 1; }));
  const http::Response second = post(usual());
  REQUIRE(second.status == 200);
  const std::string waiting = probe::text_member(second.body, "callId");
  CHECK(server.get(waiting).text("status") == "scheduled");
  CHECK(probe::text_member(second.body, "waitsFor") == "maxCalls (1) of the server");
  CHECK(probe::eventually(
      [&] { return server.metric("patchbay_ai_voice_limited_total{limit=\"server\"}") == 1; }));
  CHECK(server.hangup(running).status == 200);
  CHECK(probe::eventually([&] { return server.get(waiting).text("status") == "dispatching"; }));
  CHECK(server.hangup(waiting).status == 200);
  CHECK(probe::eventually([&] {
    return server.metric("patchbay_ai_voice_outcomes_total{outcome=\"cancelled\",status=\"cancelled\"}") == 2;
  }));
  CHECK(server.idle());
}

TEST_CASE("a call held back by a limit starts when another ends, and not before") {
  DeafPort trunk;
  core::ManualClock clock;  // stands: nothing is tried again because time has passed
  CallServer server(options(trunk.port(), "{maxConcurrentCalls: 1}", &clock));
  std::vector<std::string> ids;
  for (int i = 0; i < 4; ++i) {
    const http::Response response = post(usual());
    REQUIRE(response.status == 200);
    ids.push_back(probe::text_member(response.body, "callId"));
    REQUIRE(probe::eventually([&] { return server.metric("patchbay_ai_voice_attempts") == 1; }));
  }
  const auto waiting = [&] {  // those that were tried once
    return stored(server, "SELECT COUNT(*) FROM core_job WHERE kind LIKE '%dial' AND tries = 1");
  };
  CHECK(probe::eventually([&] { return waiting() == "3"; }));
  for (int second = 0; second < 20; ++second) clock.advance(1s);
  CHECK(server.get(ids[1]).text("status") == "scheduled");
  CHECK(waiting() == "3");
  // One that is cancelled while it waits takes no slot with it.
  CHECK(server.hangup(ids[1]).status == 200);
  CHECK(server.hangup(ids[0]).status == 200);
  CHECK(probe::eventually([&] { return server.get(ids[2]).text("status") == "dispatching"; }));
  CHECK(server.get(ids[3]).text("status") == "scheduled");
  CHECK(server.hangup(ids[2]).status == 200);
  CHECK(probe::eventually([&] { return server.get(ids[3]).text("status") == "dispatching"; }));
  CHECK(server.hangup(ids[3]).status == 200);
  CHECK(server.idle());
}

TEST_CASE("a call is refused and counted while the server is too busy") {
  DeafPort trunk;
  CallServer server(options(trunk.port(), "{}", nullptr, "maxLoadPercent: 1"));
  const http::Response first = post(usual());
  REQUIRE(first.status == 200);
  std::atomic<bool> stop{false};
  std::thread work([&] {  // in the server's process
    while (!stop) {
    }
  });
  CHECK(probe::eventually([&] { return server.metric("patchbay_ai_voice_load") > 0.02; }));
  const http::Response second = post(usual());
  CHECK(second.status == 503);
  CHECK(contains(second.body, "\"unavailable\""));
  CHECK(contains(second.body, "maxLoadPercent"));
  CHECK(second.headers.has("Retry-After"));
  CHECK(server.metric("patchbay_ai_voice_limited_total{limit=\"load\"}") == 1);
  CHECK(total("") == 1);
  // A scheduled call is accepted, because the load may have ended by then.
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const int64_t tomorrow_ms = std::chrono::duration_cast<std::chrono::milliseconds>(now + 24h).count();
  CHECK(post(usual(R"(,"scheduleAtUtc":")" + utc_text(tomorrow_ms) + "\"")).status == 200);
  stop = true;
  work.join();
  CHECK(server.hangup(probe::text_member(first.body, "callId")).status == 200);
  CHECK(server.idle());
  // Without calls nothing is refused.
  CHECK(probe::eventually([&] { return server.metric("patchbay_ai_voice_load") == 0; }));
  const http::Response third = post(usual());
  CHECK(third.status == 200);
  CHECK(server.hangup(probe::text_member(third.body, "callId")).status == 200);
  CHECK(server.idle());
}

TEST_CASE("a call that waits for the load starts once no call runs, before its next retry") {
  DeafPort trunk;
  core::ManualClock clock;  // the retry comes after 30 s
  CallServer::Options slow = options(trunk.port(), "{}", &clock, "maxLoadPercent: 1");
  slow.sip_trunk = ", silenceTimeoutMs: 32000";  // the first call rings until it is hung up
  CallServer server(slow);
  const http::Response first = post(usual());
  REQUIRE(first.status == 200);
  std::atomic<bool> stop{false};
  std::thread work([&] {  // in the server's process
    while (!stop) {
    }
  });
  CHECK(probe::eventually([&] {
    clock.advance(50ms);
    return server.metric("patchbay_ai_voice_load") > 0.02;
  }));
  const http::Response second = post(usual(R"(,"scheduleAtUtc":")" + utc_text(clock.now_ms() + 1000) + "\""));
  CHECK(second.status == 200);
  const std::string id = probe::text_member(second.body, "callId");
  const auto refusals = [&] { return server.metric("patchbay_ai_voice_limited_total{limit=\"load\"}"); };
  CHECK(probe::eventually([&] {
    clock.advance(50ms);
    return refusals() == 1;
  }));
  CHECK(server.get(id).text("status") == "scheduled");
  // The free slot does not start it, because the last sample still shows the load of the call that has ended.
  CHECK(server.hangup(probe::text_member(first.body, "callId")).status == 200);
  CHECK(server.idle());
  CHECK(server.get(id).text("status") == "scheduled");
  clock.advance(1s);
  CHECK(probe::eventually([&] { return server.get(id).text("status") == "dispatching"; }));
  CHECK(refusals() == 1);
  CHECK(server.logged("no further call starts"));
  CHECK(server.logged("calls start again"));
  stop = true;
  work.join();
  CHECK(server.hangup(id).status == 200);
  CHECK(server.idle());
}

TEST_CASE(
    "of calls that are due together as many start as the load allows, and the others when these have ended") {
  DeafPort trunk;
  core::ManualClock clock;
  CallServer server(options(trunk.port(), "{}", &clock, "maxLoadPercent: 3"));
  // 2 of 1000 of a core each, until calls were measured.
  const auto fit = static_cast<size_t>(0.03 * server.metric("patchbay_core_usable_cores") / 0.002);
  REQUIRE(fit > 0);
  REQUIRE(fit < 100);
  constexpr size_t kMore = 5;
  std::vector<std::string> ids;
  while (ids.size() < fit + kMore) {
    const http::Response response =
        post(usual(R"(,"scheduleAtUtc":")" + utc_text(clock.now_ms() + 60'000) + "\""));
    REQUIRE(response.status == 200);
    ids.push_back(probe::text_member(response.body, "callId"));
  }
  clock.advance(60s);
  const auto running = [&] { return static_cast<size_t>(server.metric("patchbay_ai_voice_attempts")); };
  const auto waiting = [&] { return server.metric("patchbay_ai_voice_limited_total{limit=\"load\"}"); };
  CHECK(probe::eventually([&] { return running() == fit && waiting() == kMore; }));
  CHECK(total("scheduled") == kMore);
  for (const std::string& id : ids) {
    if (server.get(id).text("status") != "scheduled") CHECK(server.hangup(id).status == 200);
  }
  CHECK(probe::eventually([&] {
    clock.advance(100ms);
    return total("scheduled") == 0 && running() == kMore;
  }));
  for (const std::string& id : ids) server.hangup(id);
  CHECK(server.idle());
}

TEST_CASE("a call is refused and counted while the media loops are late") {
  DeafPort trunk;
  CallServer server(options(trunk.port(), "{}", nullptr, "maxLoadPercent: 90"));
  const http::Response first = post(usual());
  REQUIRE(first.status == 200);
  const auto late = probe::ask_host<uint64_t>([](const Host& host, auto done) {
    done(host.media->attach(
        host.self, PB_LOOP_ANY, [](void*, const pb_tick*) noexcept { std::this_thread::sleep_for(30ms); },
        nullptr));
  });
  REQUIRE(late);
  http::Response refused;
  CHECK(probe::eventually([&] {
    refused = post(usual());
    if (refused.status == 200) server.hangup(probe::text_member(refused.body, "callId"));
    return refused.status == 503;
  }));
  CHECK(refused.headers.has("Retry-After"));
  CHECK(server.metric("patchbay_ai_voice_limited_total{limit=\"late\"}") == 1);
  CHECK(probe::ask_host<bool>([&](const Host& host, auto done) {
          host.media->detach(
              host.self, *late,
              [](void* user) noexcept {
                const std::unique_ptr<decltype(done)> told(static_cast<decltype(done)*>(user));
                (*told)(true);
              },
              new auto(done));
        }).has_value());
  CHECK(server.hangup(probe::text_member(first.body, "callId")).status == 200);
  CHECK(server.idle());
  CHECK(probe::eventually([&] {
    const http::Response next = post(usual());
    if (next.status == 200) server.hangup(probe::text_member(next.body, "callId"));
    return next.status == 200;
  }));
  CHECK(server.idle());
}

TEST_CASE("beyond the backlog a call is refused and counted") {
  DeafPort trunk;
  core::ManualClock clock;
  CallServer server(options(trunk.port(), "{maxWaitingCalls: 2}", &clock));
  const std::string later = R"(,"scheduleAtUtc":")" + utc_text(clock.now_ms() + 3600'000) + "\"";
  REQUIRE(post(usual(later)).status == 200);
  REQUIRE(post(usual(later)).status == 200);
  const http::Response third = post(usual(later));
  CHECK(third.status == 429);
  CHECK(third.headers.has("Retry-After"));
  CHECK(contains(third.body, "maxWaitingCalls (2) of the tenant is reached"));
  CHECK(server.metric("patchbay_ai_voice_limited_total{limit=\"backlog\"}") == 1);
}

TEST_CASE("ended calls and idempotent answers are removed after their retention time") {
  DeafPort trunk;
  core::ManualClock clock;
  CallServer server(options(trunk.port(), "{}", &clock, "keepCallsDays: 2"));
  const auto remembered = [&] { return stored(server, "SELECT COUNT(*) FROM ai_voice_idempotency"); };
  const std::string later = R"(,"scheduleAtUtc":")" + utc_text(clock.now_ms() + 10 * 24 * 3600'000) + "\"";
  const NameValues headers{{"idempotency-key", "one"}};
  const http::Response ended = post(usual(later), headers);
  const http::Response open = post(usual(later));
  REQUIRE(open.status == 200);
  CHECK(server.hangup(probe::text_member(ended.body, "callId")).status == 200);
  CHECK(total("") == 2);
  CHECK(remembered() == "1");
  clock.advance(23h);
  CHECK(post(usual(later), headers).body == ended.body);
  clock.advance(2h);  // the stored answer is deleted, the call is not
  CHECK(probe::eventually([&] {
    clock.advance(1s);
    return remembered() == "0";
  }));
  CHECK(total("cancelled") == 1);
  // The key can be used again, also for another request.
  const http::Response anew = post(usual(later + R"(,"maxSeconds":30)"), headers);
  CHECK(anew.status == 200);
  CHECK(probe::text_member(anew.body, "callId") != probe::text_member(ended.body, "callId"));
  CHECK(remembered() == "1");
  CHECK(total("") == 3);
  clock.advance(24h);
  CHECK(probe::eventually([&] {
    clock.advance(1s);
    return total("cancelled") == 0;
  }));
  CHECK(total("") == 2);
  CHECK(server.get(probe::text_member(open.body, "callId")).text("status") == "scheduled");
}

TEST_CASE("pages of calls follow each other by their cursors, without a gap while calls are added") {
  core::ManualClock clock;
  DeafPort trunk;
  CallServer server(options(trunk.port(), "{}", &clock));
  const auto add = [&](int count) {
    for (int i = 0; i < count; ++i) {
      clock.advance(std::chrono::milliseconds(1));  // calls of one millisecond have no order
      const auto made = post(usual(R"(,"scheduleAtUtc":")" + utc_text(clock.now_ms() + 3'600'000) + '"'));
      REQUIRE(made.status == 200);
    }
  };
  const auto page = [&](const std::string& status, const std::string& cursor) {
    probe::Call call{"GET", "/api.ashx/v1/calls"};
    if (!status.empty()) call.query.add("status", status);
    if (!cursor.empty()) call.query.add("cursor", cursor);
    call.tenant = CallServer::kTenant;
    call.limit = 3;
    return probe::call(call);
  };
  const auto ids = [](const std::string& body) {
    std::vector<std::string> all;
    for (size_t at = 0; (at = body.find("\"callId\":\"", at)) != std::string::npos; at += 10)
      all.push_back(body.substr(at + 10, 16));
    return all;
  };
  add(7);
  for (const char* status : {"", "scheduled", "cancelled,scheduled"}) {
    CAPTURE(status);
    std::vector<std::string> seen;
    std::string cursor;
    int pages = 0;
    for (; pages == 0 || !cursor.empty(); ++pages) {
      REQUIRE(pages < 10);
      const auto response = page(status, cursor);
      REQUIRE(response.status == 200);
      for (const std::string& id : ids(response.body)) seen.push_back(id);
      cursor = response.next_cursor;
      if (pages == 0) add(1);  // the newest, on a page that was read before
    }
    const std::vector<std::string> all = ids(list("", 50));
    CHECK(std::vector<std::string>(all.begin() + 1, all.end()) == seen);
  }
  CHECK(page("", "1.oac'").status == 400);
}
