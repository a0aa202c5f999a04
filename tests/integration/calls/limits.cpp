// The limits of calls per tenant and trunk: what waits, for which limit, and when it starts.
#include <doctest/doctest.h>
#include <patchbay/utc.h>

#include <chrono>

#include "call_server.h"
#include "runtime/manual_clock.h"
#include "support/probe_requests.h"

using namespace patchbay;
using namespace patchbay::test;
using namespace std::chrono_literals;

namespace {

// A server with a trunk at which nobody answers, and a clock controlled by the test.
struct LimitedServer {
  explicit LimitedServer(const std::string& of_tenant, const std::string& of_trunk = "")
      : calls(options(of_tenant, of_trunk)) {}

  CallServer::Options options(const std::string& of_tenant, const std::string& of_trunk) {
    CallServer::Options options;
    options.trunks = {{"main", trunk.port(), of_trunk}};
    options.sip_trunk = ", silenceTimeoutMs: 32000";
    options.ai_voice = of_tenant;
    options.clock = &clock;
    return options;
  }

  DeafPort trunk;
  core::ManualClock clock;
  CallServer calls;
};

struct Posted {
  std::string id;
  std::string waits_for;
};

Posted post(CallServer& server, const std::string& more = "") {
  const http::Response response = server.post(more);
  INFO(response.body);
  REQUIRE(response.status == 200);
  return {probe::text_member(response.body, "callId"), probe::text_member(response.body, "waitsFor")};
}

std::string waits_for_in_list(const std::string& id) {
  probe::Call list;
  list.method = "GET";
  list.path = "/api.ashx/v1/calls";
  list.tenant = CallServer::kTenant;
  list.limit = 50;
  const http::Response response = probe::call(list);
  const size_t begin = response.body.find(R"({"callId":")" + id);
  REQUIRE(begin != std::string::npos);
  const std::string row = response.body.substr(begin, response.body.find('}', begin) + 1 - begin);
  return row.find("waitsFor") == std::string::npos ? "(absent)" : probe::text_member(row, "waitsFor");
}

// What the list and the record of the call say; they differ only while it changes.
std::string waits_for(CallServer& server, const std::string& id) {
  std::string listed;
  CHECK(probe::eventually([&] {
    listed = waits_for_in_list(id);
    return server.get(id).text("waitsFor") == listed;
  }));
  return listed;
}

bool reaches(CallServer& server, const std::string& id, const std::string& status) {
  return probe::eventually([&] { return server.get(id).text("status") == status; });
}

}  // namespace

TEST_CASE("beyond a trunk's maxCalls a call takes the next trunk, and waits when all are full") {
  DeafPort main, spare;
  CallServer::Options options;
  options.trunks = {{"main", main.port(), ", maxCalls: 1"}, {"spare", spare.port(), ", maxCalls: 1"}};
  options.sip_trunk = ", silenceTimeoutMs: 32000";
  CallServer server(options);
  const Posted first = post(server);
  const Posted second = post(server);
  CHECK(first.waits_for == "");
  CHECK(second.waits_for == "");
  CHECK(reaches(server, second.id, "dispatching"));
  const Posted third = post(server);
  CHECK(third.waits_for == "maxCalls (1) of the trunk main, maxCalls (1) of the trunk spare");
  CHECK(server.get(third.id).text("status") == "scheduled");
  CHECK(waits_for(server, third.id) == third.waits_for);
  CHECK(waits_for(server, second.id) == "(absent)");
  CHECK(server.logged("the call waits"));
  CHECK(server.metric("patchbay_ai_voice_limited_total{limit=\"trunk\"}") == 1);
  CHECK(server.metric("patchbay_sip_trunk_limited_total{limit=\"maxCalls\"}") >= 3);
  CHECK(server.hangup(second.id).status == 200);
  CHECK(server.get(second.id).text("trunkId") == "spare");
  CHECK(reaches(server, third.id, "dispatching"));
  CHECK(waits_for(server, third.id) == "(absent)");
  CHECK(server.hangup(third.id).status == 200);
  CHECK(server.get(third.id).text("trunkId") == "spare");
  CHECK(server.get(third.id).integer("attempt") == 1);
  CHECK(server.hangup(first.id).status == 200);
  CHECK(server.get(first.id).text("trunkId") == "main");
  CHECK(server.idle());
}

TEST_CASE("the starts of a tenant's calls are spaced by its callsPerSecond") {
  LimitedServer limited("{callsPerSecond: 2}");
  CallServer& server = limited.calls;
  const Posted first = post(server);
  CHECK(first.waits_for == "");
  CHECK(reaches(server, first.id, "dispatching"));
  const Posted second = post(server);
  const Posted third = post(server);
  CHECK(second.waits_for == "callsPerSecond (2) of the tenant");
  CHECK(third.waits_for == "callsPerSecond (2) of the tenant");
  CHECK(probe::eventually(
      [&] { return server.metric("patchbay_ai_voice_limited_total{limit=\"rate\"}") == 2; }));
  CHECK(server.get(second.id).text("status") == "scheduled");
  limited.clock.advance(500ms);
  CHECK(reaches(server, second.id, "dispatching"));
  CHECK(server.get(third.id).text("status") == "scheduled");
  limited.clock.advance(500ms);
  CHECK(reaches(server, third.id, "dispatching"));
  for (const Posted& each : {first, second, third}) CHECK(server.hangup(each.id).status == 200);
  CHECK(server.idle());
}

TEST_CASE("the record of a call names the limit that it met only when its time had come") {
  LimitedServer limited("{maxConcurrentCalls: 1}");
  CallServer& server = limited.calls;
  const Posted first = post(server);
  CHECK(reaches(server, first.id, "dispatching"));
  const std::string soon = R"(,"scheduleAtUtc":")" + utc_text(limited.clock.now_ms() + 1000) + "\"";
  const Posted second = post(server, soon), third = post(server, soon);
  CHECK(waits_for(server, second.id) == "(absent)");
  limited.clock.advance(1s);
  for (const Posted& each : {second, third})
    CHECK(probe::eventually(
        [&] { return waits_for(server, each.id) == "maxConcurrentCalls (1) of the tenant"; }));
  CHECK(server.hangup(third.id).status == 200);
  CHECK(waits_for(server, third.id) == "(absent)");
  CHECK(server.hangup(first.id).status == 200);
  CHECK(reaches(server, second.id, "dispatching"));
  CHECK(waits_for(server, second.id) == "(absent)");
  CHECK(server.hangup(second.id).status == 200);
  CHECK(server.idle());
}

TEST_CASE("a call that a trunk's callsPerSecond delays starts when its time has come") {
  LimitedServer limited("{}", ", callsPerSecond: 1");
  CallServer& server = limited.calls;
  const Posted first = post(server);
  CHECK(reaches(server, first.id, "dispatching"));
  const Posted second = post(server);
  CHECK(second.waits_for == "callsPerSecond (1) of the trunk main");
  CHECK(probe::eventually(
      [&] { return server.metric("patchbay_ai_voice_limited_total{limit=\"trunk\"}") == 1; }));
  CHECK(server.get(second.id).text("status") == "scheduled");
  limited.clock.advance(1s);
  CHECK(reaches(server, second.id, "dispatching"));
  for (const Posted& each : {first, second}) CHECK(server.hangup(each.id).status == 200);
  CHECK(server.idle());
}
