#include <doctest/doctest.h>
#include <patchbay/services/call_limits.h>
#include <patchbay/services/dial_gate.h>
#include <patchbay/services/numbers.h>

#include "routes_host.h"

using namespace patchbay;
using namespace patchbay::test;

namespace {

constexpr char kExplainConfiguration[] =
    R"(,"defaultTrunkId":"backup","outboundRoutes":[{"match":"+43*","trunkIds":["main"]}])";

http::Response explain(RoutesHost& server, const std::string& question) {
  return server.ask("POST", "admin/explain", question);
}
std::string explain_dial(RoutesHost& server, const std::string& number) {
  const auto response = explain(server, R"({"direction":"outbound","number":")" + number + "\"}");
  CHECK(response.status == 200);
  return response.body;
}
std::string explain_call(RoutesHost& server, const std::string& did, const std::string& from = "") {
  const auto response =
      explain(server, R"({"direction":"inbound","did":")" + did + R"(","fromNumber":")" + from + "\"}");
  CHECK(response.status == 200);
  return response.body;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// A gate named whitelist that allows numbers of +49 only.
struct Gate {
  explicit Gate(RoutesHost& server)
      : registration(server.host.make<telephony::DialGateRegistration>(
            server.host.host(), "whitelist",
            [this](const telephony::Check& check) -> Result<telephony::Verdict> {
              ++asked;
              all_dry = all_dry && check.dry_run;
              if (check.number.rfind("+49", 0) != 0)
                return telephony::Verdict{false, "not whitelisted", "no entry"};
              return telephony::Verdict{true, "", "the entry " + check.number};
            })) {
    REQUIRE(testing::why(server.host.settle()) == "");
  }
  int asked = 0;
  bool all_dry = true;
  telephony::DialGateRegistration& registration;
};

}  // namespace

TEST_CASE("a dial is explained by its gates, route and trunks") {
  RoutesHost server(kExplainConfiguration);
  const Gate gate(server);
  CHECK(server.ask("POST", "outbound-routes", R"({"match":"+49*","trunkIds":["main","backup"]})").status ==
        201);
  CHECK(
      explain_dial(server, "0049 30 123456") ==
      R"({"direction":"outbound","number":"+4930123456","gates":[{"gate":"whitelist","allowed":true,)"
      R"("reason":"","detail":"the entry +4930123456"}],)"
      R"("route":{"match":"+49*","trunkIds":["main","backup"],"source":"api","position":1},)"
      R"("trunks":[{"id":"main","host":"192.0.2.1","skipped":""},{"id":"backup","host":"192.0.2.2","skipped":""}],"limits":[],)"
      R"("wouldDial":true,"why":"the first trunk is main","unreachableRoutes":[],"absent":[]})");
  const std::string refused = explain_dial(server, "+4315551234");
  CHECK(has(refused, R"x("wouldDial":false,"why":"whitelist: not whitelisted (no entry)")x"));
  CHECK(has(refused, R"("route":{"match":"+43*")"));
  CHECK(gate.asked == 2);
  CHECK(gate.all_dry);
  CHECK(server.host.problem_text() == "");
}

TEST_CASE("without a matching route the default trunk is named, and without gates the refusal") {
  RoutesHost server(kExplainConfiguration);
  const std::string answer = explain_dial(server, "+4915551234");
  CHECK(has(answer, R"("route":null,"trunks":[{"id":"backup","host":"192.0.2.2","skipped":""}])"));
  CHECK(has(answer, R"("wouldDial":false,"why":"no dial gate is loaded, and requireGate is set")"));
  CHECK(has(answer, R"("absent":["whitelist"])"));
}

TEST_CASE("trunks that the configuration has no more are passed over") {
  RoutesHost server;
  const Gate gate(server);
  server.add_elsewhere("outbound-routes", "*", "", "gone main", 10);
  CHECK(server.host.advance_ms(2000));
  const std::string answer = explain_dial(server, "+4930123456");
  CHECK(has(answer, R"({"id":"gone","host":"","skipped":"the configuration has no such trunk any more"})"));
  CHECK(has(answer, R"("why":"the first trunk is main")"));
}

TEST_CASE("a dial names the limits that would make it wait") {
  RoutesHost server(
      R"(,"defaultTrunkId":"main","outboundRoutes":[{"match":"*","trunkIds":["main","backup"]}])",
      R"(,"maxCalls":1)");
  const Gate gate(server);
  const auto reserve = [&](const char* call) {
    const auto reserved = server.host.call<telephony::Telephony>(telephony::Telephony::reserve,
                                                                 {call, "acme.example", "+4930123456"});
    REQUIRE(reserved.ok());
    return reserved->trunk_id;
  };
  CHECK(has(explain_dial(server, "+4930123456"), R"("limits":[],"wouldDial":true)"));
  CHECK(reserve("oac-1") == "main");
  CHECK(has(explain_dial(server, "+4930123456"),
            R"("skipped":"maxCalls (1) of the trunk main"},{"id":"backup","host":"192.0.2.2","skipped":""}],)"
            R"("limits":[],"wouldDial":true,"why":"the first trunk is backup")"));
  CHECK(reserve("oac-2") == "backup");
  CHECK(has(
      explain_dial(server, "+4930123456"),
      R"("limits":["maxCalls (1) of the trunk main","maxCalls (1) of the trunk backup"],"wouldDial":false,)"
      R"("why":"the call would wait: maxCalls (1) of the trunk main, maxCalls (1) of the trunk backup")"));

  std::string asked;
  auto& limits = server.host.make<Provision<call_limits::CallLimits>>(server.host.host());
  server.host.run([&] {
    limits.on(call_limits::CallLimits::reached,
              [&](const call_limits::Question& question) -> Result<call_limits::Reached> {
                asked = question.tenant;
                return call_limits::Reached{"maxConcurrentCalls (7) of the tenant", 0};
              });
    CHECK(limits.publish());
  });
  REQUIRE(testing::why(server.host.settle()) == "");
  CHECK(has(explain_dial(server, "+4930123456"),
            R"("limits":["maxConcurrentCalls (7) of the tenant","maxCalls (1))"));
  CHECK(asked == "acme.example");
}

TEST_CASE("rows that no call reaches are named with the row before them") {
  RoutesHost server(kExplainConfiguration);
  CHECK(server.ask("POST", "outbound-routes", R"({"match":"+431*","trunkIds":["backup"]})").status == 201);
  CHECK(has(explain_dial(server, "+4315551234"),
            R"("unreachableRoutes":[{"route":{"match":"+431*","trunkIds":["backup"],"source":"api",)"
            R"("position":1},"behind":{"match":"+43*","trunkIds":["main"],"source":"config"}}])"));
  CHECK(
      server.ask("POST", "inbound-routes", R"({"did":"anonymous","fromNumber":"+43*","user":"a"})").status ==
      201);
  CHECK(has(explain_call(server, "200"), R"("behind":null)"));
}

TEST_CASE("an inbound call is explained by its route") {
  RoutesHost server;
  CHECK(server.ask("POST", "inbound-routes", R"({"did":"+4930123456","fromNumber":"+43*","user":"alice"})")
            .status == 201);
  CHECK(explain_call(server, "004930123456", "+43 1 555 1234") ==
        R"({"direction":"inbound","did":"+4930123456","fromNumber":"+4315551234","decision":"ring-user",)"
        R"("user":"alice","sipStatus":null,"why":"a route matches",)"
        R"("route":{"did":"+4930123456","fromNumber":"+43*","user":"alice","source":"api","position":1},)"
        R"("virtualNumber":null,"unreachableRoutes":[],"absent":["numbers"]})");
  const std::string refused = explain_call(server, "+4930123456");
  CHECK(has(refused, R"("fromNumber":null,"decision":"refuse","user":"","sipStatus":480)"));
  CHECK(has(refused, R"("route":{"did":"*","user":"","source":"automatic"})"));
}

TEST_CASE("an inbound call is explained by the virtual number it reaches") {
  RoutesHost server;
  static_cast<void>(server.host.provide<numbers::Numbers>([](Provision<numbers::Numbers>& provision) {
    provision.on(numbers::Numbers::lookup, [](const numbers::Key& key) -> Result<numbers::Summary> {
      if (key.number != "200") return {Code::not_found, "no such number"};
      return numbers::Summary{"reception", "200", "live-voice-ai", "", "hidden"};
    });
  }));
  CHECK(has(explain_call(server, "200", "+4315551234"),
            R"("decision":"virtual-number","user":"","sipStatus":null,"why":"a virtual number is called",)"
            R"("route":null,"virtualNumber":{"name":"reception","number":"200","mode":"live-voice-ai",)"
            R"("visibility":"hidden"},"unreachableRoutes":[],"absent":[]})"));
  CHECK(has(explain_call(server, "201", "+4315551234"), R"("virtualNumber":null)"));
}

TEST_CASE("an explanation needs a direction and its number") {
  RoutesHost server;
  for (const char* body :
       {"{}", R"({"direction":"sideways"})", R"({"direction":"outbound"})", R"({"direction":"inbound"})",
        R"({"direction":"outbound","number":"x"})", R"({"direction":"outbound","did":"1"})",
        R"({"direction":"outbound","number":"1\u0000"})"}) {
    INFO(body);
    CHECK(explain(server, body).status == 400);
  }
}
