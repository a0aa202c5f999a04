#include "http/lag.h"

#include <doctest/doctest.h>

using namespace std::chrono_literals;
using patchbay::rest_api::Clock;
using patchbay::rest_api::Lag;

TEST_CASE("the lag is the time that a peer is waited for, less that of its octets") {
  const Clock::time_point start{};
  Lag lag;
  CHECK(lag.of(start + 1h) == 0s);
  lag.begin(start);
  CHECK(lag.of(start + 3s) == 3s);
  lag.take(2 * 1024, start + 3s);
  CHECK(lag.of(start + 3s) == 1s);
  lag.begin(start + 4s);  // no-op
  CHECK(lag.of(start + 5s) == 3s);
}

TEST_CASE("a burst reduces the lag of the past, not that of the future") {
  const Clock::time_point start{};
  Lag lag;
  lag.begin(start);
  lag.take(1024 * 1024, start + 2s);
  CHECK(lag.of(start + 2s) == 0s);
  CHECK(lag.of(start + 9s) == 7s);
}

TEST_CASE("time in which a peer is not waited for reduces its lag") {
  const Clock::time_point start{};
  Lag lag;
  lag.begin(start);
  lag.end(start + 10s);
  CHECK(lag.of(start + 10s) == 10s);
  lag.begin(start + 14s);
  CHECK(lag.of(start + 15s) == 7s);
  lag.end(start + 15s);
  CHECK(lag.of(start + 1min) == 0s);
}
