#include "rate/rate_limiter.h"

#include <doctest/doctest.h>

using patchbay::lib::RateLimiter;

TEST_CASE("a key has its tokens, and gets one back at a time") {
  RateLimiter limiter({3, 1000, 10});
  for (int i = 0; i < 3; ++i) CHECK(limiter.take("a", 0));
  CHECK_FALSE(limiter.take("a", 999));
  CHECK(limiter.wait_ms("a", 999) == 1);
  CHECK(limiter.take("a", 1000));
  CHECK_FALSE(limiter.take("a", 1999));
  CHECK(limiter.has("a", 2000));
  CHECK(limiter.take("b", 0));
}

TEST_CASE("tokens do not pile up beyond the capacity") {
  RateLimiter limiter({2, 1000, 10});
  CHECK(limiter.take("a", 0));
  CHECK(limiter.take("a", 1'000'000));
  CHECK(limiter.take("a", 1'000'000));
  CHECK_FALSE(limiter.take("a", 1'000'000));
}

TEST_CASE("a key that was reset has all its tokens") {
  RateLimiter limiter({1, 1000, 10});
  CHECK(limiter.take("a", 0));
  limiter.reset("a");
  limiter.reset("unknown");
  CHECK(limiter.take("a", 0));
}

TEST_CASE("a million keys do not grow it") {
  RateLimiter limiter({1, 1000, 100});
  for (int i = 0; i < 1'000'000; ++i) limiter.take(std::to_string(i), 0);
  CHECK(limiter.keys() == 100);
  CHECK_FALSE(limiter.take("999999", 0));
  CHECK(limiter.take("1", 0));
}

TEST_CASE("the key asked for last is kept") {
  RateLimiter limiter({1, 1000, 2});
  CHECK(limiter.take("a", 0));
  CHECK(limiter.take("b", 0));
  CHECK_FALSE(limiter.take("a", 0));
  CHECK(limiter.take("c", 0));  // b goes
  CHECK_FALSE(limiter.take("a", 0));
}
