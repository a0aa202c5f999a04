#include "rate/rate_limiter.h"

#include <doctest/doctest.h>

using patchbay::lib::RateLimiter;

namespace {
constexpr int64_t kMs = 1'000'000;
}

TEST_CASE("a key may take its burst, then waits for the rate") {
  RateLimiter limiter({2.0, 3.0, 10});
  for (int i = 0; i < 3; ++i) CHECK(limiter.take("a", 0) == 0);
  CHECK(limiter.take("a", 0) == 500);
  CHECK(limiter.take("b", 0) == 0);
  CHECK(limiter.take("a", 499 * kMs) == 1);
  CHECK(limiter.wait_ms("a", 499 * kMs) == 1);
  CHECK(limiter.wait_ms("a", 500 * kMs) == 0);
  CHECK(limiter.take("a", 500 * kMs) == 0);
  CHECK(limiter.take("a", 500 * kMs) == 500);
}

TEST_CASE("tokens do not pile up beyond the burst") {
  RateLimiter limiter({1.0, 2.0, 10});
  CHECK(limiter.take("a", 0) == 0);
  for (int i = 0; i < 2; ++i) CHECK(limiter.take("a", 3'600'000 * kMs) == 0);
  CHECK(limiter.take("a", 3'600'000 * kMs) == 1000);
}

TEST_CASE("a clock that goes back adds no tokens") {
  RateLimiter limiter({1.0, 1.0, 10});
  CHECK(limiter.take("a", 1000 * kMs) == 0);
  CHECK(limiter.take("a", 0) == 1000);
  CHECK(limiter.take("a", 1500 * kMs) == 500);
}

TEST_CASE("a slow rate refills in time") {
  RateLimiter limiter({1.0 / 60, 10.0, 10});
  for (int i = 0; i < 10; ++i) CHECK(limiter.take("a", 0) == 0);
  CHECK(limiter.take("a", 0) == 60'000);
  for (int minute = 1; minute <= 100; ++minute) {
    CHECK(limiter.take("a", minute * 60'000 * kMs) == 0);
    CHECK(limiter.take("a", minute * 60'000 * kMs) > 0);
  }
}

TEST_CASE("a key that was reset has all its tokens") {
  RateLimiter limiter({1.0, 1.0, 10});
  CHECK(limiter.take("a", 0) == 0);
  limiter.reset("a");
  limiter.reset("unknown");
  CHECK(limiter.take("a", 0) == 0);
}

TEST_CASE("a million keys do not grow the table, and busy keys stay in it") {
  RateLimiter limiter({1.0, 1.0, 100});
  CHECK(limiter.take("busy", 0) == 0);
  for (int i = 0; i < 1'000'000; ++i) {
    limiter.take(std::to_string(i), 0);
    if (i % 50 == 0) CHECK(limiter.take("busy", 0) > 0);
  }
  CHECK(limiter.keys() == 100);
  CHECK(limiter.take("999999", 0) > 0);
  CHECK(limiter.take("1", 0) == 0);
}
