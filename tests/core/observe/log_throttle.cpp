#include "observe/log_throttle.h"

#include <doctest/doctest.h>

using namespace std::chrono_literals;
using patchbay::core::observe::LogThrottle;

TEST_CASE("one line per key and interval, with the number of suppressed events") {
  LogThrottle limit(1s);
  const LogThrottle::Time start{};
  CHECK(limit.pass("a", start) == 0u);
  CHECK_FALSE(limit.pass("a", start + 1ms).has_value());
  CHECK_FALSE(limit.pass("a", start + 999ms).has_value());
  CHECK(limit.pass("b", start + 1ms) == 0u);
  CHECK(limit.pass("a", start + 1s) == 2u);
  CHECK(limit.pass("a", start + 2s) == 0u);
}

TEST_CASE("a flood of keys shares one line and uses bounded memory") {
  LogThrottle limit(1s, 10);
  const LogThrottle::Time start{};
  int passed = 0;
  for (int i = 0; i < 1000; ++i) passed += limit.pass(std::to_string(i), start + 1ms) ? 1 : 0;
  CHECK(passed == 11);
  CHECK(limit.pass("fresh", start + 2s).has_value());
}
