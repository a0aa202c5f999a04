#include "config/tenant_host.h"

#include <doctest/doctest.h>

using patchbay::core::config::normalise_host;

TEST_CASE("hosts are normalised to lower case without port and trailing dot") {
  CHECK(normalise_host("Voice.Example.COM.:443") == "voice.example.com");
  CHECK(normalise_host("localhost") == "localhost");
  CHECK(normalise_host("127.0.0.1:80") == "127.0.0.1");
  CHECK(normalise_host("[2001:DB8::1]:80") == "[2001:db8::1]");
}

TEST_CASE("invalid host names are refused") {
  for (const char* bad : {"", ".", ":80", "a b", "a/b", "a..b", ".a", "[::1", "[x]", "a:b", "\xC3\xA4.de"})
    CHECK(normalise_host(bad).empty());
}
