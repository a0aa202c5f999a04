#include "rate/address_key.h"

#include <doctest/doctest.h>

using namespace patchbay::lib;

TEST_CASE("all addresses of one IPv6 customer have one key") {
  CHECK(address_key("2001:db8:0:1::7") == "2001:db8:0:1::/64");
  CHECK(address_key("2001:DB8:0:1:ffff:ffff:ffff:ffff") == address_key("2001:db8::1:0:0:0:1"));
  CHECK(address_key("2001:db8:0:2::7") != address_key("2001:db8:0:1::7"));
  CHECK(address_key("fe80::1%eth0") == "fe80::/64");
  CHECK(site_key("2001:db8:0:1::7") == "2001:db8::/48");
  CHECK(site_key("2001:db8:0:1::7") == site_key("2001:db8:0:ffff::7"));
  CHECK(site_key("2001:db8:1::7") != site_key("2001:db8:0:1::7"));
}

TEST_CASE("an IPv4 address is its own key, also if mapped to IPv6") {
  CHECK(address_key("192.0.2.7") == "192.0.2.7");
  CHECK(site_key("192.0.2.7") == "192.0.2.7");
  CHECK(address_key("::ffff:192.0.2.7") == "192.0.2.7");
}

TEST_CASE("text that is not an address is its own key") {
  CHECK(address_key("") == "");
  CHECK(address_key("unix") == "unix");
  CHECK(address_key("300.1.1.1") == "300.1.1.1");
}
