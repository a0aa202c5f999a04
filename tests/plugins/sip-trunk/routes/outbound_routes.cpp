#include <doctest/doctest.h>

#include "routes_host.h"

using namespace patchbay;
using namespace patchbay::test;

namespace {

constexpr char kOutboundConfiguration[] =
    R"(,"defaultTrunkId":"backup","outboundRoutes":[{"match":"+43*","trunkIds":["main"]}])";

std::string outbound_row(const std::string& match, const std::string& trunk_ids = R"(["main"])",
                         const std::string& more = "") {
  return R"({"match":")" + match + R"(","trunkIds":)" + trunk_ids + more + "}";
}

}  // namespace

TEST_CASE("an outbound route is created, read, changed and deleted") {
  RoutesHost server;
  CHECK(server.text("POST", "outbound-routes", outbound_row("+49*", R"(["main","backup"])")) ==
        R"(201 {"match":"+49*","trunkIds":["main","backup"],"source":"api","position":1})");
  CHECK(server.text("GET", "outbound-routes/%2B49%2A") ==
        R"(200 {"match":"+49*","trunkIds":["main","backup"],"source":"api","position":1})");
  CHECK(server.text("PUT", "outbound-routes/%2B49%2A", R"({"trunkIds":["backup"]})") ==
        R"(200 {"match":"+49*","trunkIds":["backup"],"source":"api","position":1})");
  CHECK(server.text("DELETE", "outbound-routes/%2B49%2A") ==
        R"(200 {"deleted":{"match":"+49*","trunkIds":["backup"],"source":"api","position":1}})");
  CHECK(server.refusal("GET", "outbound-routes/%2B49%2A") == "404 not_found");
  CHECK(server.refusal("PUT", "outbound-routes/%2B49%2A", R"({"trunkIds":["backup"]})") == "404 not_found");
  CHECK(server.refusal("DELETE", "outbound-routes/%2B49%2A") == "404 not_found");
  CHECK(server.host.problem_text() == "");
}

TEST_CASE("the list of outbound routes has the default trunk beside its rows") {
  RoutesHost server(kOutboundConfiguration);
  CHECK(server.ask("POST", "outbound-routes", outbound_row("global")).status == 201);
  CHECK(server.text("GET", "outbound-routes") ==
        R"(200 {"data":[{"match":"+43*","trunkIds":["main"],"source":"config"},)"
        R"({"match":"global","trunkIds":["main"],"source":"api","position":1}],"defaultTrunkId":"backup",)"
        R"("total":2,"limit":50,"offset":0,"next":null})");
  CHECK(server.text("GET", "outbound-routes?limit=1&offset=1").find(R"({"data":[{"match":"global")") !=
        std::string::npos);
  CHECK(server.text("GET", "outbound-routes", "", "other.example") ==
        R"(200 {"data":[],"defaultTrunkId":"","total":0,"limit":50,"offset":0,"next":null})");
}

TEST_CASE("each item endpoint of outbound routes has a form with the match in the query") {
  RoutesHost server;
  CHECK(server.ask("POST", "outbound-routes", outbound_row("+49*")).status == 201);
  CHECK(server.ask("POST", "outbound-routes", outbound_row("*")).status == 201);
  CHECK(server.ask("GET", "outbound-routes?match=%2B49%2A").status == 200);
  CHECK(server.ask("GET", "outbound-routes?match=*").status == 200);
  CHECK(server.ask("PUT", "outbound-routes?match=*", R"({"trunkIds":["backup"]})").status == 200);
  CHECK(server.ask("DELETE", "outbound-routes?match=%2B49*").status == 200);
  CHECK(server.order("outbound-routes", "match") == "*");
  CHECK(server.refusal("DELETE", "outbound-routes?match=%2B49*") == "404 not_found");
  CHECK(server.refusal("GET", "outbound-routes?match=") == "400 invalid_request");
}

TEST_CASE("bodies of outbound routes may be PascalCase, and null means left out") {
  RoutesHost server;
  CHECK(server.ask("POST", "outbound-routes", R"({"Match":"+49*","TrunkIds":["main"],"Position":null})")
            .status == 201);
  CHECK(server.ask("PUT", "outbound-routes/%2B49%2A", R"({"TrunkIds":["backup"]})").status == 200);
}

TEST_CASE("a second row for the same numbers is a duplicate") {
  RoutesHost server(kOutboundConfiguration);
  CHECK(server.ask("POST", "outbound-routes", outbound_row("+49*")).status == 201);
  CHECK(server.refusal("POST", "outbound-routes", outbound_row("+49*")) == "409 duplicate_route");
  CHECK(server.refusal("POST", "outbound-routes", outbound_row("0049*")) == "409 duplicate_route");
  CHECK(server.refusal("POST", "outbound-routes", outbound_row("+43*")) == "409 duplicate_route");
  CHECK(server.ask("POST", "outbound-routes", outbound_row("global")).status == 201);
  CHECK(server.ask("POST", "outbound-routes", outbound_row("*")).status == 201);
  CHECK(server.refusal("POST", "outbound-routes", outbound_row("*")) == "409 duplicate_route");
}

TEST_CASE("bad outbound routes are refused with the field and the rule") {
  RoutesHost server;
  const std::pair<std::string, const char*> cases[] = {
      {R"({"trunkIds":["main"]})", "match is required"},
      {R"({"match":"+49*"})", "trunkIds is required"},
      {outbound_row("+49*", "[]"), "trunkIds"},
      {outbound_row("+49*", R"(["nowhere"])"), "trunkIds[0] must be the id of a trunk"},
      {outbound_row("+49*", R"(["main","theirs"])"), "trunkIds[1]"},
      {outbound_row("+49*", R"("main")"), "trunkIds"},
      {outbound_row("+4*9"), "match must be a number"},
      {outbound_row(""), "match"},
      {outbound_row(std::string(65, '1')), "match"},
      {outbound_row("+49*", R"(["main"])", R"(,"position":0)"), "position"},
      {outbound_row("+49*", R"(["main"])", R"(,"Match":"1")"), "match"},
      {R"({"match":"+4\u0000","trunkIds":["main"]})", "match"},
  };
  for (const auto& [body, says] : cases) {
    const http::Response response = server.ask("POST", "outbound-routes", body);
    INFO(body, " ", response.body);
    CHECK(response.status == 400);
    CHECK(response.body.find(says) != std::string::npos);
  }
  CHECK(server.ask("POST", "outbound-routes", outbound_row("+49*")).status == 201);
  CHECK(server.refusal("PUT", "outbound-routes/%2B49%2A", R"({"trunkIds":[]})") == "400 invalid_request");
  CHECK(server.refusal("PUT", "outbound-routes/%2B49%2A", R"({"trunkIds":["x"]})") == "400 invalid_request");
  CHECK(server.refusal("PUT", "outbound-routes/%2B49%2A", "{}") == "400 invalid_request");
  CHECK(server.refusal("PUT", "outbound-routes/1", R"({"trunkIds":["x"]})") == "400 invalid_request");
}

TEST_CASE("outbound routes of the configuration are read-only and come first") {
  RoutesHost server(kOutboundConfiguration);
  CHECK(server.refusal("PUT", "outbound-routes/%2B43%2A", R"({"trunkIds":["backup"]})") == "409 read_only");
  CHECK(server.refusal("DELETE", "outbound-routes/%2B43%2A") == "409 read_only");
  CHECK(
      server.ask("POST", "outbound-routes", outbound_row("+49*", R"(["main"])", R"(,"position":1)")).status ==
      201);
  CHECK(server.order("outbound-routes", "match") == "+43* +49*");
}

TEST_CASE("outbound routes are moved by their position") {
  RoutesHost server;
  for (const char* match : {"1", "2", "3"})
    CHECK(server.ask("POST", "outbound-routes", outbound_row(match)).status == 201);
  CHECK(server.ask("POST", "outbound-routes", outbound_row("4", R"(["main"])", R"(,"position":2)")).status ==
        201);
  CHECK(server.order("outbound-routes", "match") == "1 4 2 3");
  CHECK(server.text("PUT", "outbound-routes/3", R"({"position":1})") ==
        R"(200 {"match":"3","trunkIds":["main"],"source":"api","position":1})");
  CHECK(server.order("outbound-routes", "match") == "3 1 4 2");
  CHECK(server.ask("PUT", "outbound-routes/1", R"({"position":99,"trunkIds":["backup"]})").status == 200);
  CHECK(server.order("outbound-routes", "match") == "3 4 2 1");
  CHECK(server.ask("DELETE", "outbound-routes/4").status == 200);
  CHECK(server.text("GET", "outbound-routes/1") ==
        R"(200 {"match":"1","trunkIds":["backup"],"source":"api","position":3})");
}

TEST_CASE("another tenant's outbound routes are not visible") {
  RoutesHost server;
  CHECK(server.ask("POST", "outbound-routes", outbound_row("+49*")).status == 201);
  CHECK(server.refusal("GET", "outbound-routes/%2B49%2A", "", "other.example") == "404 not_found");
  CHECK(server.refusal("DELETE", "outbound-routes/%2B49%2A", "", "other.example") == "404 not_found");
  CHECK(
      server.ask("POST", "outbound-routes", outbound_row("+49*", R"(["theirs"])"), "other.example").status ==
      201);
  CHECK(server.ask("DELETE", "outbound-routes/%2B49%2A", "", "other.example").status == 200);
  CHECK(server.order("outbound-routes", "match") == "+49*");
}

TEST_CASE("a match is decoded once and compared literally") {
  RoutesHost server;
  CHECK(server.ask("POST", "outbound-routes", outbound_row("+49*")).status == 201);
  for (const char* other : {"0049%2A", "%252B49%252A", "%2B49", "+49%2A%20"})
    CHECK(server.refusal("GET", "outbound-routes/" + std::string(other)) == "404 not_found");
}

TEST_CASE("routes survive a restart, and a moved row keeps its place") {
  RoutesHost server;
  for (const char* match : {"1", "2", "3"})
    CHECK(server.ask("POST", "outbound-routes", outbound_row(match)).status == 201);
  CHECK(server.ask("PUT", "outbound-routes/3", R"({"position":1})").status == 200);
  REQUIRE(testing::why(server.host.stop()) == "");
  REQUIRE(testing::why(server.host.start(R"({"listenPort":0})", RoutesHost::tenants(""))) == "");
  CHECK(server.order("outbound-routes", "match") == "3 1 2");
}

TEST_CASE("changes of another process on the same database are seen within two seconds") {
  RoutesHost server;
  CHECK(server.ask("POST", "outbound-routes", outbound_row("1")).status == 201);
  server.add_elsewhere("outbound-routes", "2", "", "main", int64_t{1} << 40);
  CHECK(server.host.advance_ms(2000));
  CHECK(server.order("outbound-routes", "match") == "1 2");
  // A write on rows that were changed elsewhere meanwhile is made on the new ones.
  server.add_elsewhere("outbound-routes", "3", "", "main", int64_t{1} << 41);
  CHECK(server.refusal("POST", "outbound-routes", outbound_row("3")) == "409 duplicate_route");
  server.add_elsewhere("outbound-routes", "4", "", "main", int64_t{1} << 42);
  CHECK(server.ask("POST", "outbound-routes", outbound_row("5")).status == 201);
  CHECK(server.order("outbound-routes", "match") == "1 2 3 4 5");
  CHECK(server.host.problem_text() == "");
}

TEST_CASE("every change of outbound routes is recorded with it") {
  RoutesHost server;
  CHECK(server.ask("POST", "outbound-routes", outbound_row("1")).status == 201);
  CHECK(server.ask("PUT", "outbound-routes/1", R"({"trunkIds":["backup"]})").status == 200);
  CHECK(server.ask("PUT", "outbound-routes/1", R"({"trunkIds":["backup"]})").status == 200);  // not recorded
  CHECK(server.ask("DELETE", "outbound-routes/1").status == 200);
  CHECK(server.refusal("DELETE", "outbound-routes/1") == "404 not_found");
  CHECK(
      server.audit.text() ==
      "outbound-route.created 1 - "
      "{\"match\":\"1\",\"trunkIds\":[\"main\"],\"source\":\"api\",\"position\":1}\n"
      "outbound-route.changed 1 {\"match\":\"1\",\"trunkIds\":[\"main\"],\"source\":\"api\",\"position\":1} "
      "{\"match\":\"1\",\"trunkIds\":[\"backup\"],\"source\":\"api\",\"position\":1}\n"
      "outbound-route.deleted 1 "
      "{\"match\":\"1\",\"trunkIds\":[\"backup\"],\"source\":\"api\",\"position\":1} -\n");
  server.audit.refuse("the disk is full");
  CHECK(server.refusal("POST", "outbound-routes", outbound_row("2")) == "503 unavailable");
  CHECK(server.order("outbound-routes", "match") == "");
}

TEST_CASE("the configuration may be reloaded under stored routes") {
  RoutesHost server;
  CHECK(server.ask("POST", "outbound-routes", outbound_row("+43*", R"(["backup"])")).status == 201);
  REQUIRE(testing::why(server.host.reconfigure(R"({"listenPort":0})",
                                               RoutesHost::tenants(kOutboundConfiguration))) == "");
  CHECK(server.order("outbound-routes", "source") == "config api");
  CHECK(server.text("GET", "outbound-routes/%2B43%2A").find("config") != std::string::npos);
  CHECK(server.ask("DELETE", "outbound-routes/%2B43%2A").status == 200);
  CHECK(server.order("outbound-routes", "source") == "config");
}
