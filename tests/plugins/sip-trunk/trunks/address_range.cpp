#include "trunks/address_range.h"

#include <doctest/doctest.h>

using namespace patchbay::sip_trunk;
using patchbay::lib::SocketAddress;

namespace {

bool contains(const char* range, const char* address) {
  const auto parsed = AddressRange::parse(range);
  REQUIRE(parsed);
  return parsed->contains(*SocketAddress::parse(address, 5060));
}

}  // namespace

TEST_CASE("a range contains the addresses of its network") {
  CHECK(contains("203.0.113.0/24", "203.0.113.255"));
  CHECK_FALSE(contains("203.0.113.0/24", "203.0.112.255"));
  CHECK(contains("203.0.113.16/28", "203.0.113.31"));
  CHECK_FALSE(contains("203.0.113.16/28", "203.0.113.32"));
  CHECK(contains("203.0.113.7", "203.0.113.7"));
  CHECK_FALSE(contains("203.0.113.7", "203.0.113.6"));
  CHECK(contains("2001:db8::100/120", "2001:db8::1ff"));
  CHECK_FALSE(contains("2001:db8::100/120", "2001:db8::200"));
  CHECK_FALSE(contains("203.0.113.0/24", "2001:db8::1"));
}

TEST_CASE("a range lists its addresses for the peer filter") {
  const auto all = AddressRange::parse("203.0.113.252/30")->addresses();
  REQUIRE(all.size() == 4);
  CHECK(all.front().ip_text() == "203.0.113.252");
  CHECK(all.back().ip_text() == "203.0.113.255");
  CHECK(AddressRange::parse("203.0.113.0/24")->addresses().size() == 256);
  CHECK(AddressRange::parse("2001:db8::1")->addresses().size() == 1);
}

TEST_CASE("what is no range, has other bits or is too wide is refused") {
  for (const char* text :
       {"", "x", "203.0.113.1/24", "203.0.112.0/23", "0.0.0.0/0", "203.0.113.0/33", "203.0.113.0/",
        "203.0.113.0/+24", "2001:db8::/48", "203.0.113.0/24/24", "carrier.example"}) {
    CAPTURE(std::string(text));
    CHECK_FALSE(AddressRange::parse(text));
  }
}
