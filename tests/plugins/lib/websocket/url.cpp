#include "websocket/url.h"

#include <doctest/doctest.h>

using patchbay::lib::parse_websocket_url;

TEST_CASE("a WebSocket URL is split into its parts") {
  auto url = parse_websocket_url("wss://example.org/a/b?key=SECRET");
  REQUIRE(url.ok());
  CHECK(url->tls);
  CHECK(url->host == "example.org");
  CHECK(url->port == "443");
  CHECK(url->target == "/a/b?key=SECRET");
  CHECK(url->host_header() == "example.org");
  CHECK(url->display() == "wss://example.org/a/b");

  auto v6 = parse_websocket_url("ws://[::1]:8080?x=1");
  REQUIRE(v6.ok());
  CHECK(v6->host == "::1");
  CHECK(v6->host_header() == "[::1]:8080");
  CHECK(v6->target == "/?x=1");
}

TEST_CASE("ambiguous URLs are refused") {
  for (const char* text : {"", "http://a/", "ws://", "ws:///x", "ws://user@host/", "ws://a:0/",
                           "ws://a:65536/", "ws://a:x/", "ws://a b/", "ws://a/\r\nX: y", "ws://a/#f",
                           "ws://[::1/", "ws://[::1]x/", "ws://a:/", "ws://a\\b/"}) {
    CAPTURE(text);
    CHECK(!parse_websocket_url(text).ok());
  }
}
