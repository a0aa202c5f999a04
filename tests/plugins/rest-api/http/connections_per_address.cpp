#include "http/connections_per_address.h"

#include <doctest/doctest.h>

#include <string>

#include "http/limits.h"

using patchbay::rest_api::ConnectionsPerAddress;
using patchbay::rest_api::kSiteConnectionsFactor;

TEST_CASE("the connections of each address are limited separately") {
  ConnectionsPerAddress counts;
  CHECK(counts.add("192.0.2.1", 2));
  CHECK(counts.add("192.0.2.1", 2));
  CHECK_FALSE(counts.add("192.0.2.1", 2));
  CHECK(counts.add("192.0.2.2", 2));
  counts.remove("192.0.2.1");
  CHECK(counts.add("192.0.2.1", 2));
}

TEST_CASE("an IPv6 client counts by its /64, and its /48 has a limit as well") {
  ConnectionsPerAddress counts;
  CHECK(counts.add("2001:db8:0:1::1", 1));
  CHECK_FALSE(counts.add("2001:db8:0:1::2", 1));
  size_t taken = 1;
  for (int i = 2; i < 100; ++i)
    if (counts.add("2001:db8:0:" + std::to_string(i) + "::1", 1)) ++taken;
  CHECK(taken == kSiteConnectionsFactor);
  CHECK(counts.add("2001:db8:1::1", 1));
  counts.remove("2001:db8:0:1::1");
  CHECK(counts.add("2001:db8:0:99::1", 1));
  CHECK_FALSE(counts.add("2001:db8:0:98::1", 1));
}
