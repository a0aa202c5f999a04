#include "http/trusted_proxies.h"

#include <doctest/doctest.h>

#include "http_server_fixture.h"

using namespace rest_api_test;

TEST_CASE("trusted proxies - networks match by prefix, IPv4 also when mapped") {
  const auto proxies = *TrustedProxies::parse({"10.0.0.0/9", "192.0.2.7", "2001:db8::/33", "unix"});
  for (const auto* yes : {"10.127.255.255", "192.0.2.7", "::ffff:10.0.0.1", "2001:db8:7fff::1", "unix"})
    CHECK(proxies.contains(yes));
  for (const auto* no : {"10.128.0.0", "192.0.2.8", "2001:db8:8000::1", "", "x", "10.0.0.1 "})
    CHECK(!proxies.contains(no));
  CHECK(!TrustedProxies().contains("unix"));
  for (const auto* bad : {"10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "10.0.0/8", "::/129", "proxy", ""})
    CHECK(!TrustedProxies::parse({bad}).ok());
  CHECK(TrustedProxies::parse({"0.0.0.0/0"})->contains("203.0.113.9"));
}

TEST_CASE("trusted proxies - the client is the last address that is not a trusted proxy") {
  const auto proxies = *TrustedProxies::parse({"10.0.0.0/8"});
  CHECK(proxies.client("10.0.0.1", "203.0.113.9") == "203.0.113.9");
  CHECK(proxies.client("10.0.0.1", "198.51.100.1, 203.0.113.9, 10.0.0.2") == "203.0.113.9");
  CHECK(proxies.client("203.0.113.9", "198.51.100.1") == "203.0.113.9");
  CHECK(proxies.client("10.0.0.1", "") == "10.0.0.1");
  CHECK(proxies.client("10.0.0.1", "203.0.113.9, unknown") == "10.0.0.1");
  CHECK(proxies.client("10.0.0.1", "10.0.0.3") == "10.0.0.3");
  CHECK(proxies.client("10.0.0.1", "203.0.113.9:4711") == "203.0.113.9");
  CHECK(proxies.client("10.0.0.1", "203.0.113.9, 10.0.0.2:80") == "203.0.113.9");
  CHECK(proxies.client("10.0.0.1", "[2001:db8::7]:4711") == "2001:db8::7");
  CHECK(proxies.client("10.0.0.1", "2001:db8::7") == "2001:db8::7");
}

TEST_CASE_FIXTURE(ServerFixture, "trusted proxies - X-Forwarded fields of other clients are ignored") {
  handlers.on_request = [](std::shared_ptr<Exchange> exchange) {
    exchange->reply(200, {}, exchange->client + (exchange->secure ? " https " : " http ") + exchange->host);
  };
  const auto forwarded =
      get("/v1/calls",
          "X-Forwarded-For: 203.0.113.9\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Host: B.example.:443\r\n");
  REQUIRE(start() != 0);
  auto untrusted = connect();
  untrusted.send(forwarded);
  CHECK(untrusted.receive()->body == "127.0.0.1 http test");
  config.trusted_proxies = {"127.0.0.0/8"};
  REQUIRE(start() != 0);
  auto proxy = connect();
  proxy.send(forwarded);
  CHECK(proxy.receive()->body == "203.0.113.9 https b.example");
  // A proxy appends, so earlier values may come from the client.
  proxy.send(get("/v1/calls",
                 "X-Forwarded-Host: a.example\r\nX-Forwarded-Proto: https, http\r\nX-Forwarded-Host: "
                 "x.example, b.example\r\n"));
  CHECK(proxy.receive()->body == "127.0.0.1 http b.example");
}
