#include "usage_meter.h"

#include <doctest/doctest.h>

using namespace patchbay::engine_gemini;

TEST_CASE("usage: one snapshot per turn is added as it is") {
  UsageMeter meter;
  meter.add({515, 31, 546, 0, 0});
  auto usage = meter.end_turn();
  REQUIRE(usage);
  CHECK(usage->prompt_tokens == 515);
  CHECK(usage->total_tokens == 546);
  CHECK(!meter.end_turn());
}

TEST_CASE("usage: of several snapshots in a turn the last counts") {
  UsageMeter meter;
  meter.add({500, 10, 510, 0, 0});
  meter.add({500, 40, 540, 7, 0});
  auto usage = meter.end_turn();
  REQUIRE(usage);
  CHECK(usage->total_tokens == 540);
  CHECK(usage->thought_tokens == 7);
}

TEST_CASE("usage: deltas count only when no snapshot closes the turn") {
  UsageMeter meter;
  for (int i = 0; i < 10; ++i) meter.add({0, 5, 0, 0, 0});
  CHECK(meter.end_turn()->total_tokens == 50);
  for (int i = 0; i < 10; ++i) meter.add({0, 5, 5, 0, 0});
  meter.add({300, 50, 350, 0, 0});
  CHECK(meter.end_turn()->total_tokens == 350);
}
