#include "outbound/start_rate.h"

#include <doctest/doctest.h>

using patchbay::ai_voice::StartRate;

TEST_CASE("starts of a tenant are spaced, and those of another are not touched") {
  constexpr int64_t kSecondNs = 1'000'000'000;
  StartRate rate;
  CHECK(rate.wait_ns("a", 4, kSecondNs) == 0);
  rate.take("a", 4, kSecondNs);
  CHECK(rate.wait_ns("a", 4, kSecondNs) == kSecondNs / 4);
  CHECK(rate.wait_ns("b", 4, kSecondNs) == 0);
  CHECK(rate.wait_ns("a", 0, kSecondNs) == 0);
  CHECK(rate.wait_ns("a", 4, kSecondNs + kSecondNs / 4) == 0);
  rate.take("a", 4, 5 * kSecondNs);  // no credit for the pause
  CHECK(rate.wait_ns("a", 4, 5 * kSecondNs) == kSecondNs / 4);
  rate.give_back("a", 4);
  CHECK(rate.wait_ns("a", 4, 5 * kSecondNs) == 0);
  int started = 0;
  for (int64_t ns = 10 * kSecondNs; ns < 11 * kSecondNs; ns += 1'000'000) {
    if (rate.wait_ns("a", 4, ns) > 0) continue;
    rate.take("a", 4, ns);
    ++started;
  }
  CHECK(started == 4);
}

TEST_CASE("without a rate any number of calls may start") {
  StartRate rate;
  for (int i = 0; i < 3; ++i) {
    rate.take("a", 0, 0);
    CHECK(rate.wait_ns("a", 0, 0) == 0);
  }
}
