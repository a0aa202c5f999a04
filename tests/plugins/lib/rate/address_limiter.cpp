#include "rate/address_limiter.h"

#include <doctest/doctest.h>

using namespace patchbay::lib;

TEST_CASE("a limit holds for a whole IPv6 network of 64 bits") {
  AddressLimiter limiter({.per_second = 1, .burst = 3});
  for (int i = 0; i < 3; ++i) CHECK(limiter.take("2001:db8::" + std::to_string(i), 0) == 0);
  CHECK(limiter.take("2001:db8::99", 0) == 1000);
  CHECK(limiter.take("2001:db8:0:1::1", 0) == 0);
}

TEST_CASE("the /64s of one /48 share a larger limit") {
  AddressLimiter limiter({.per_second = 1, .burst = 1});
  for (int i = 0; i < 16; ++i) CHECK(limiter.take("2001:db8:0:" + std::to_string(i) + "::1", 0) == 0);
  CHECK(limiter.take("2001:db8:0:ff::1", 0) > 0);
  CHECK(limiter.take("2001:db8:1::1", 0) == 0);
}

TEST_CASE("a /48 that must wait takes no tokens of its /64s") {
  AddressLimiter limiter({.per_second = 1, .burst = 1});
  for (int i = 0; i < 16; ++i) CHECK(limiter.take("2001:db8:0:" + std::to_string(i) + "::1", 0) == 0);
  CHECK(limiter.take("2001:db8:0:ff::1", 0) > 0);
  CHECK(limiter.take("2001:db8:0:ff::1", 1'000'000'000) == 0);
}

TEST_CASE("accounts at one address are counted separately") {
  AddressLimiter limiter({.per_second = 1, .burst = 1});
  CHECK(limiter.take("192.0.2.1", 0, "alice") == 0);
  CHECK(limiter.take("192.0.2.1", 0, "alice") > 0);
  CHECK(limiter.take("192.0.2.1", 0, "bob") == 0);
  limiter.reset("192.0.2.1", "alice");
  CHECK(limiter.take("192.0.2.1", 0, "alice") == 0);
}

TEST_CASE("a higher cost takes more tokens, but never more than the burst") {
  AddressLimiter limiter({.per_second = 1, .burst = 10});
  CHECK(limiter.take("192.0.2.1", 0, {}, 6) == 0);
  CHECK(limiter.take("192.0.2.1", 0, {}, 6) == 2000);
  CHECK(limiter.take("192.0.2.2", 0, {}, 1000) == 0);
  CHECK(limiter.take("192.0.2.2", 0) == 1000);
}
