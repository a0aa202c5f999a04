#include "rate_limiter.h"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <vector>

using namespace patchbay::rest_api;

TEST_CASE("rate limiter - a burst, then the rate, told in milliseconds") {
  int64_t now = 1'000'000'000;
  RateLimiter limiter({2.0, 3.0, 10}, [&] { return now; });
  for (int i = 0; i < 3; ++i) CHECK(limiter.take("a") == 0);
  CHECK(limiter.take("a") == 500);
  CHECK(limiter.take("b") == 0);
  now += 499'000'000;
  CHECK(limiter.take("a") == 1);
  CHECK(limiter.peek("a") == 1);
  now += 1'000'001;
  CHECK(limiter.peek("a") == 0);
  CHECK(limiter.take("a") == 0);
  now += 3'600'000'000'000;
  CHECK(limiter.take("a", 3) == 0);
  CHECK(limiter.take("a", 99) == 1500);
  limiter.forget("a");
  CHECK(limiter.take("a", 99) == 0);
}

TEST_CASE("rate limiter - a clock that goes back gives nothing away") {
  int64_t now = 1'000'000'000;
  RateLimiter limiter({1.0, 1.0, 10}, [&] { return now; });
  CHECK(limiter.take("a") == 0);
  now = 0;
  CHECK(limiter.take("a") == 1000);
  now = 1'500'000'000;
  CHECK(limiter.take("a") == 500);
}

TEST_CASE("rate limiter - memory is bounded, and the busy are remembered") {
  int64_t now = 0;
  RateLimiter limiter({1.0, 1.0, 100}, [&] { return now; });
  CHECK(limiter.take("busy") == 0);
  for (int i = 0; i < 10'000; ++i) {
    limiter.take("stranger" + std::to_string(i));
    if (i % 50 == 0) CHECK(limiter.take("busy") > 0);
  }
  CHECK(limiter.size() == 100);
}

TEST_CASE("rate limiter - threads share one bucket exactly") {
  RateLimiter limiter({0.0, 1000.0, 10}, [] { return int64_t{0}; });
  std::atomic<int> taken{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i)
        if (limiter.take("a") == 0) ++taken;
    });
  for (auto& thread : threads) thread.join();
  CHECK(taken == 1000);
}
