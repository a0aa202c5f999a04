#include <doctest/doctest.h>

#include "routes_host.h"

using namespace patchbay;
using namespace patchbay::test;

namespace {

constexpr char kInboundConfiguration[] =
    R"(,"inbound":{"defaultUser":"desk"},"inboundRoutes":[{"did":"100","user":"carol"}])";

std::string inbound_row(const std::string& did, const std::string& user = "alice",
                        const std::string& more = "") {
  return R"({"did":")" + did + R"(","user":")" + user + "\"" + more + "}";
}
std::string from(const std::string& number) { return R"(,"fromNumber":")" + number + "\""; }

}  // namespace

TEST_CASE("the list of inbound routes always ends with the catchall") {
  RoutesHost server(kInboundConfiguration);
  CHECK(server.text("GET", "inbound-routes") ==
        R"(200 {"data":[{"did":"100","user":"carol","source":"config"},)"
        R"({"did":"*","user":"desk","source":"automatic"}],"total":2,"limit":50,"offset":0,"next":null})");
  CHECK(
      server.text("GET", "inbound-routes", "", "other.example") ==
      R"(200 {"data":[{"did":"*","user":"","source":"automatic"}],"total":1,"limit":50,"offset":0,"next":null})");
  CHECK(server.ask("POST", "inbound-routes", inbound_row("200")).status == 201);
  CHECK(server.ask("POST", "inbound-routes", inbound_row("300")).status == 201);
  CHECK(server.order("inbound-routes", "did") == "100 200 300 *");
}

TEST_CASE("write responses of inbound routes are PascalCase, rows that are read camelCase") {
  RoutesHost server;
  CHECK(server.text("POST", "inbound-routes", R"({"Did":"200","FromNumber":"+43*","User":"alice"})") ==
        R"(201 {"Did":"200","FromNumber":"+43*","User":"alice","Source":"api","Position":1})");
  CHECK(server.text("GET", "inbound-routes/200") ==
        R"(200 {"did":"200","fromNumber":"+43*","user":"alice","source":"api","position":1})");
  CHECK(server.text("PUT", "inbound-routes/200?fromNumber=%2B43*", R"({"User":"bob"})") ==
        R"(200 {"Did":"200","FromNumber":"+43*","User":"bob","Source":"api","Position":1})");
  CHECK(server.text("DELETE", "inbound-routes/200?fromNumber=%2B43*") ==
        R"(200 {"deleted":{"Did":"200","FromNumber":"+43*","User":"bob","Source":"api","Position":1}})");
  CHECK(server.text("POST", "inbound-routes", inbound_row("200", "alice", from(""))) ==
        R"(201 {"Did":"200","User":"alice","Source":"api","Position":1})");
  CHECK(server.host.problem_text() == "");
}

TEST_CASE("a row of inbound routes is addressed by did and fromNumber") {
  RoutesHost server;
  CHECK(server.ask("POST", "inbound-routes", inbound_row("200", "a")).status == 201);
  CHECK(server.ask("POST", "inbound-routes", inbound_row("200", "b", from("+43*"))).status == 201);
  CHECK(server.refusal("POST", "inbound-routes", inbound_row("200", "c")) == "409 duplicate_route");
  CHECK(server.refusal("POST", "inbound-routes", inbound_row("200", "c", from("0043*"))) ==
        "409 duplicate_route");
  CHECK(server.ask("PUT", "inbound-routes/200", R"({"user":"x"})").status == 200);
  CHECK(server.ask("PUT", "inbound-routes/200?fromNumber=", R"({"user":"y"})").status == 200);
  CHECK(server.ask("PUT", "inbound-routes?did=200&fromNumber=%2B43*", R"({"user":"z"})").status == 200);
  CHECK(server.order("inbound-routes", "user") == "y z ");
  CHECK(server.refusal("PUT", "inbound-routes/200?fromNumber=%2B44*", R"({"user":"z"})") == "404 not_found");
  CHECK(server.refusal("PUT", "inbound-routes/201", R"({"user":"z"})") == "404 not_found");
}

TEST_CASE("DELETE without fromNumber removes the first row of the did") {
  RoutesHost server;
  CHECK(server.ask("POST", "inbound-routes", inbound_row("200", "b", from("+43*"))).status == 201);
  CHECK(server.ask("POST", "inbound-routes", inbound_row("200", "a")).status == 201);
  CHECK(server.text("DELETE", "inbound-routes/200").find(R"("User":"b")") != std::string::npos);
  CHECK(server.text("DELETE", "inbound-routes?did=200&fromNumber=").find(R"("User":"a")") !=
        std::string::npos);
  CHECK(server.refusal("DELETE", "inbound-routes/200") == "404 not_found");
}

TEST_CASE("of duplicate pairs in old data, PUT and DELETE act on the first in document order") {
  RoutesHost server;
  server.add_elsewhere("inbound-routes", "200", "+43*", "first", 10);
  server.add_elsewhere("inbound-routes", "200", "+43*", "second", 20, 1);
  CHECK(server.host.advance_ms(2000));
  CHECK(server.order("inbound-routes", "user") == "first second ");
  CHECK(server.ask("PUT", "inbound-routes/200?fromNumber=%2B43*", R"({"user":"x"})").status == 200);
  CHECK(server.order("inbound-routes", "user") == "x second ");
  CHECK(server.ask("DELETE", "inbound-routes/200?fromNumber=%2B43*").status == 200);
  CHECK(server.order("inbound-routes", "user") == "second ");
  CHECK(server.refusal("POST", "inbound-routes", inbound_row("200", "a", from("+43*"))) ==
        "409 duplicate_route");
}

TEST_CASE("the catchall is changed, never created twice, moved or deleted") {
  RoutesHost server(R"(,"inbound":{"defaultUser":"desk"})");
  CHECK(server.refusal("POST", "inbound-routes", inbound_row("*")) == "409 duplicate_route");
  CHECK(server.refusal("POST", "inbound-routes", inbound_row("*", "a", from("+43*"))) ==
        "400 invalid_request");
  CHECK(server.refusal("DELETE", "inbound-routes/%2A") == "400 cannot_delete_catchall");
  CHECK(server.refusal("DELETE", "inbound-routes?did=*") == "400 cannot_delete_catchall");
  CHECK(server.text("GET", "inbound-routes/%2A") == R"(200 {"did":"*","user":"desk","source":"automatic"})");
  CHECK(server.text("PUT", "inbound-routes/%2A", R"({"User":"bob"})") ==
        R"(200 {"Did":"*","User":"bob","Source":"api"})");
  CHECK(server.text("PUT", "inbound-routes?did=*", R"({"User":"eve"})") ==
        R"(200 {"Did":"*","User":"eve","Source":"api"})");
  CHECK(server.refusal("PUT", "inbound-routes/%2A", R"({"User":"bob","position":1})") ==
        "400 invalid_request");
  CHECK(server.refusal("PUT", "inbound-routes/%2A?fromNumber=1", R"({"User":"bob"})") == "404 not_found");
  CHECK(server.refusal("DELETE", "inbound-routes/%2A") == "400 cannot_delete_catchall");
  CHECK(server.ask("POST", "inbound-routes", inbound_row("200")).status == 201);
  CHECK(server.order("inbound-routes", "did") == "200 *");
  REQUIRE(testing::why(server.host.stop()) == "");
  REQUIRE(testing::why(server.host.start(R"({"listenPort":0})", RoutesHost::tenants(""))) == "");
  CHECK(server.order("inbound-routes", "user") == "alice eve");
}

TEST_CASE("a configured catchall is read-only and stays last") {
  RoutesHost server(R"(,"inboundRoutes":[{"did":"*","user":"carol"},{"did":"100","user":"dave"}])");
  CHECK(server.ask("POST", "inbound-routes", inbound_row("200")).status == 201);
  CHECK(server.order("inbound-routes", "did") == "100 200 *");
  CHECK(server.refusal("PUT", "inbound-routes/%2A", R"({"user":"x"})") == "409 read_only");
  CHECK(server.refusal("PUT", "inbound-routes/100", R"({"user":"x"})") == "409 read_only");
  CHECK(server.refusal("DELETE", "inbound-routes/100") == "409 read_only");
}

TEST_CASE("inbound routes are moved by their position") {
  RoutesHost server;
  for (const char* did : {"1", "2", "3"})
    CHECK(server.ask("POST", "inbound-routes", inbound_row(did)).status == 201);
  CHECK(server.ask("POST", "inbound-routes", inbound_row("4", "a", R"(,"position":1)")).status == 201);
  CHECK(server.ask("PUT", "inbound-routes/1", R"({"position":9})").status == 200);
  CHECK(server.order("inbound-routes", "did") == "4 2 3 1 *");
}

TEST_CASE("bad inbound routes are refused with the field and the rule") {
  RoutesHost server;
  const std::pair<std::string, const char*> cases[] = {
      {R"({"user":"a"})", "did is required"},
      {R"({"did":"1"})", "user is required"},
      {inbound_row("1", ""), "user"},
      {inbound_row("1", std::string(65, 'x')), "user"},
      {inbound_row("+49*"), "did must be a number"},
      {inbound_row("x"), "did must be a number"},
      {inbound_row("1", "a", from("4*9")), "fromNumber must be"},
      {R"({"did":"1","user":"a\u0000"})", "user"},
      {R"({"did":"1","Did":"2","user":"a"})", "did"},
  };
  for (const auto& [body, says] : cases) {
    const http::Response response = server.ask("POST", "inbound-routes", body);
    INFO(body, " ", response.body);
    CHECK(response.status == 400);
    CHECK(response.body.find(says) != std::string::npos);
  }
  CHECK(server.refusal("PUT", "inbound-routes/%2A", "{}") == "400 invalid_request");
  CHECK(server.refusal("PUT", "inbound-routes/1", R"({"user":""})") == "400 invalid_request");
}

TEST_CASE("anonymous calls and extensions have inbound routes, too") {
  RoutesHost server;
  CHECK(server.ask("POST", "inbound-routes", inbound_row("anonymous")).status == 201);
  CHECK(server.ask("POST", "inbound-routes", inbound_row("200", "a", from("anonymous"))).status == 201);
  CHECK(server.ask("POST", "inbound-routes", inbound_row("+4930123456")).status == 201);
  CHECK(server.ask("GET", "inbound-routes/%2B4930123456").status == 200);
  CHECK(server.refusal("GET", "inbound-routes/004930123456") == "404 not_found");
  CHECK(server.ask("GET", "inbound-routes?did=%2B4930123456").status == 200);
}

TEST_CASE("the user of an inbound route is a name") {
  RoutesHost server;
  for (const char* bad : {R"(a\nb)", R"(\u001b[31m)", R"(a b)", R"(a\u007f)"}) {
    const std::string text = server.text("POST", "inbound-routes", inbound_row("200", bad));
    CAPTURE(text);
    CHECK(text.find("400") == 0);
    CHECK(text.find("user must be the name of a user; for example") != std::string::npos);
    CHECK(server.refusal("PUT", "inbound-routes/%2A", std::string(R"({"user":")") + bad + R"("})") ==
          "400 invalid_request");
  }
}

TEST_CASE("the refusal of a duplicate names the row as it is written") {
  RoutesHost server;
  CHECK(server.ask("POST", "inbound-routes", inbound_row("0049 30/222")).status == 201);
  CHECK(server.text("POST", "inbound-routes", inbound_row("+4930222")).find("0049 30/222") !=
        std::string::npos);
}

TEST_CASE("every change of inbound routes is recorded with it") {
  RoutesHost server;
  CHECK(server.ask("POST", "inbound-routes", inbound_row("1", "a", from("+43*"))).status == 201);
  CHECK(server.ask("PUT", "inbound-routes/%2A", R"({"user":"b"})").status == 200);
  // As it is, so not recorded.
  CHECK(server.text("PUT", "inbound-routes/%2A", R"({"user":"b"})") ==
        R"(200 {"Did":"*","User":"b","Source":"api"})");
  CHECK(server.ask("DELETE", "inbound-routes/1").status == 200);
  CHECK(server.audit.text() ==
        "inbound-route.created 1 from +43* - "
        "{\"did\":\"1\",\"fromNumber\":\"+43*\",\"user\":\"a\",\"source\":\"api\",\"position\":1}\n"
        "inbound-route.changed * {\"did\":\"*\",\"user\":\"\",\"source\":\"automatic\"} "
        "{\"did\":\"*\",\"user\":\"b\",\"source\":\"api\"}\n"
        "inbound-route.deleted 1 "
        "{\"did\":\"1\",\"fromNumber\":\"+43*\",\"user\":\"a\",\"source\":\"api\",\"position\":1} -\n");
}
