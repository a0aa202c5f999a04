#include "trunks/trunk_state.h"

#include <doctest/doctest.h>

using namespace patchbay::sip_trunk;
using TrunkValue = TrunkState::Value;

TEST_CASE("a call without an answer takes a trunk down, and OPTIONS with back-off asks until it answers") {
  TrunkState state;
  CHECK(state.value() == TrunkValue::unknown);
  CHECK(state.takes_calls(0));
  CHECK_FALSE(state.is_probe_due(1'000'000));  // no interval is configured
  state.failed(1000, "silent", false);
  CHECK(state.value() == TrunkValue::down);
  CHECK(state.why() == "silent");
  CHECK_FALSE(state.takes_calls(1001));
  int64_t now = 1000;
  for (const int64_t pause : {1000, 2000, 4000, 8000, 16'000, 32'000, 60'000, 60'000}) {
    CHECK_FALSE(state.is_probe_due(now + pause - 1));
    CHECK(state.is_probe_due(now + pause));
    now += pause;
    state.failed(now, "OPTIONS: no answer", true);
  }
  state.answered(now, true);
  CHECK(state.value() == TrunkValue::up);
  CHECK(state.takes_calls(now));
  CHECK(state.why().empty());
  CHECK_FALSE(state.is_probe_due(now + 1'000'000));
}

TEST_CASE("a trunk that never answers OPTIONS is tried by a call from time to time") {
  TrunkState state;
  state.failed(0, "silent", false);
  CHECK_FALSE(state.takes_calls(9999));
  CHECK(state.takes_calls(10'000));
  state.failed(15'000, "silent", false);
  CHECK_FALSE(state.takes_calls(34'999));
  CHECK(state.takes_calls(35'000));
  state.answered(36'000, false);
  CHECK(state.value() == TrunkValue::up);
  // One that has answered OPTIONS once is only asked by OPTIONS.
  state.answered(36'000, true);
  state.failed(40'000, "silent", false);
  CHECK_FALSE(state.takes_calls(1'000'000));
}

TEST_CASE("a configured interval asks a trunk that is up, and two failures take it down") {
  TrunkState state(30'000);
  CHECK(state.is_probe_due(0));
  state.answered(0, true);
  CHECK_FALSE(state.is_probe_due(29'999));
  CHECK(state.is_probe_due(30'000));
  state.failed(35'000, "no answer", true);
  CHECK(state.value() == TrunkValue::up);
  CHECK(state.is_probe_due(36'000));
  state.failed(41'000, "no answer", true);
  CHECK(state.value() == TrunkValue::down);
  state.answered(50'000, true);
  CHECK(state.is_probe_due(80'000));
}

TEST_CASE("OPTIONS that a trunk has never answered do not take it down") {
  TrunkState state(30'000);
  for (int i = 0; i < 5; ++i) state.failed(30'000 * i, "no answer", true);
  CHECK(state.value() == TrunkValue::unknown);
  CHECK(state.takes_calls(0));
  CHECK(state.is_probe_due(30'000 * 5));
}
