#include "http/request_target.h"

#include <doctest/doctest.h>

#include "http_server_fixture.h"

using namespace rest_api_test;

TEST_CASE("request target - segments are decoded once") {
  CHECK(*decode_segment("%2F") == "/");
  CHECK(*decode_segment("%252F") == "%2F");
  CHECK(*decode_segment("%2B49+1") == "+49+1");
  CHECK(*decode_segment("%2A") == "*");
  CHECK(*decode_segment("%c3%A4") == "\xc3\xa4");
  CHECK(decode_segment("")->empty());
}

TEST_CASE("request target - invalid escapes and invalid UTF-8 are refused") {
  for (const auto* raw : {"%", "%2", "%zz", "a%g0", "%00", "%c0%af", "%c0%80", "%e0%80%af", "%f0%80%80%af",
                          "%ff", "%ed%a0%80", "%f4%90%80%80", "%c3", "%c3%28", "%2e%2e", "..", "%2e", "."}) {
    CAPTURE(raw);
    CHECK(!decode_segment(raw).ok());
  }
}

TEST_CASE("request target - queries decode plus, refuse repeated keys and restore the plus of numbers") {
  auto query = parse_query("a=1+2&b=%2B&c&=d&&e==f%26");
  CHECK(!query.error);
  CHECK(query.values == StringPairs{{"a", "1 2"}, {"b", "+"}, {"c", ""}, {"", "d"}, {"e", "=f&"}});
  CHECK(parse_query("a=1&a=1").error);
  CHECK(parse_query("a=1&%61=2").error);
  CHECK(parse_query("ab=1&Ab=2").error->text == "query: the parameter Ab is given twice");
  const std::string long_name(65, 'n');
  CHECK(parse_query(long_name + "&" + long_name).error->text == "query: a parameter is given twice");
  CHECK(parse_query("ab=1&AB=2").error);
  CHECK(parse_query("a=%zz").error);
  CHECK(parse_query("%00=1").error);
  CHECK(parse_query("did=+49&match=%2B1&fromNumber=+33&q=+x").values ==
        StringPairs{{"did", "+49"}, {"match", "+1"}, {"fromNumber", "+33"}, {"q", " x"}});
  const auto value = [](const char* raw) { return parse_query(raw).values.at(0).second; };
  CHECK(value("q=+4930") == "+4930");
  CHECK(value("Q=+4930+1") == "+4930 1");
  CHECK(value("q=%204930") == " 4930");
  CHECK(value("q=a+b") == "a b");
  CHECK(value("since=2026-01-31T12:00:00+01:00") == "2026-01-31T12:00:00+01:00");
  CHECK(value("until=2026-01-31+12:00+01:00") == "2026-01-31 12:00+01:00");
  CHECK(value("since=2026-01-31+12:00") == "2026-01-31 12:00");
  CHECK(value("since=2026-01-31T12:00Z") == "2026-01-31T12:00Z");
  CHECK(value("DID=+49") == "+49");
  CHECK(value("object=+4930500") == "+4930500");
  CHECK(value("object=a+b") == "a b");
}

TEST_CASE("request target - a query of thousands of pairs is refused in linear time") {
  std::string raw;
  for (int i = 0; i < 5400; ++i) raw += "&" + std::to_string(i);
  const auto query = parse_query(raw);
  REQUIRE(query.error);
  CHECK(query.error->text == "query: more than 100 parameters");
  CHECK(query.values.size() == 100);  // what follows was neither decoded nor compared
  std::string allowed = "0=0";
  for (int i = 1; i < 100; ++i) allowed += "&" + std::to_string(i);
  CHECK_FALSE(parse_query(allowed).error);
  CHECK(parse_query(raw.replace(0, 1, "%zz&")).error->text != "");
}

TEST_CASE_FIXTURE(ServerFixture, "request target - a path above 2 KiB is 414, and the connection is kept") {
  REQUIRE(start() != 0);
  auto client = connect();
  const std::string longest = "/v1/calls/" + std::string(2048 - 10, 'x');
  client.send(get(longest));
  CHECK(client.receive()->status == 200);
  for (const auto* method : {"GET", "POST", "BREW", "OPTIONS"}) {
    CAPTURE(method);
    client.send(std::string(method) + " " + longest + "x HTTP/1.1\r\nHost: a\r\n\r\n");
    const auto answer = client.receive();
    REQUIRE(answer);
    CHECK(answer->status == 414);
    CHECK(answer->headers.at("connection") == "keep-alive");
  }
  CHECK(server->stats().requests == 1);
}

TEST_CASE_FIXTURE(ServerFixture,
                  "request target - invalid values are 400 after routing, and after authentication") {
  handlers.on_refused = [](std::shared_ptr<Exchange> exchange) {
    if (exchange->header("authorization") == nullptr) {
      exchange->reply_error(401, "invalid_token", "no bearer");
    } else {
      exchange->refuse();
    }
  };
  REQUIRE(start() != 0);
  auto client = connect();
  client.send("PUT /v1/numbers/%2F%2B49 HTTP/1.1\r\nHost: a\r\n\r\n");
  CHECK(client.receive()->body == "route=10 did=/+49");
  for (const auto* target : {"/v1/calls/%00", "/v1/calls/%c0%af", "/v1/calls/%zz", "/v1/calls?a=1&a=2"}) {
    CAPTURE(target);
    client.send(get(target));
    CHECK(client.receive()->status == 401);
    client.send(get(target, "Authorization: Bearer x\r\n"));
    const auto answer = client.receive();
    REQUIRE(answer);
    CHECK(answer->status == 400);
    CHECK(answer->headers.at("connection") == "keep-alive");
  }
  client.send(get("/v1/callz/%zz"));
  CHECK(client.receive()->status == 404);
}
