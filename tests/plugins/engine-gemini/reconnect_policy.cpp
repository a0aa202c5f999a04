// The pure parts: usage, watchdog, recovery, farewell.
#include "reconnect_policy.h"

#include <doctest/doctest.h>

#include <vector>

#include "silence_watchdog.h"
#include "usage_meter.h"

using namespace patchbay::lib;
using namespace patchbay::engine_gemini;

namespace {

constexpr RecoveryTimes kTimes{.budget_ms = 30000};

}  // namespace

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

TEST_CASE("watchdog: nudge, then a fresh session, then the end") {
  Watchdog dog;
  dog.begun(0);
  CHECK(dog.poll(5999, true) == Remedy::none);
  CHECK(dog.poll(6000, true) == Remedy::nudge);
  CHECK(dog.poll(13999, true) == Remedy::none);
  CHECK(dog.poll(14000, true) == Remedy::fresh_session);
  CHECK(dog.poll(22000, true) == Remedy::give_up);
  CHECK(dog.poll(90000, true) == Remedy::none);
}

TEST_CASE("watchdog: audible sound satisfies it, near silence does not") {
  std::vector<int16_t> loud(4800, 5000), quiet(4800, 20);
  Watchdog dog;
  dog.user_spoke(0);
  dog.audio(100, loud.data(), loud.size(), 24000);
  dog.turn_ended();
  CHECK(dog.poll(60000, true) == Remedy::none);
  for (int i = 0; i < 9; ++i) dog.audio(60000, quiet.data(), quiet.size(), 24000);
  CHECK(dog.poll(60000, true) == Remedy::none);
  dog.audio(60000, quiet.data(), quiet.size(), 24000);
  CHECK(dog.poll(60000, true) == Remedy::fresh_session);
}

TEST_CASE("watchdog: a turn that never ends is ended when all was played") {
  std::vector<int16_t> loud(480, 5000);
  Watchdog dog;
  dog.audio(0, loud.data(), loud.size(), 24000);
  CHECK(dog.poll(50000, false) == Remedy::none);
  CHECK(dog.poll(20000, true) == Remedy::finish_turn);
  CHECK(dog.poll(60000, true) == Remedy::none);
  dog.audio(60000, loud.data(), loud.size(), 24000);
  dog.generated();
  CHECK(dog.poll(63000, true) == Remedy::finish_turn);
}

TEST_CASE("watchdog: a resumed session that is mute is replaced at once") {
  Watchdog dog;
  dog.resumed();
  dog.user_spoke(0);
  CHECK(dog.poll(8000, true) == Remedy::fresh_session);
}

TEST_CASE("recovery: before the first ready a refusal gets the reduced setup, once") {
  Recovery recovery(kTimes);
  recovery.started(0);
  auto first = recovery.dropped(0, {1007, 0, true}, false);
  CHECK(first.kind == Attempt::Kind::fresh);
  CHECK(first.reduced);
  CHECK(recovery.dropped(0, {1007, 0, true}, false).kind == Attempt::Kind::fail);
  Recovery other(kTimes);
  CHECK(other.dropped(0, {1008, 0, true}, false).kind == Attempt::Kind::fail);
  CHECK(other.dropped(0, {1006, 403, true}, false).kind == Attempt::Kind::fail);
}

TEST_CASE("recovery: a drop in mid-call resumes with back-off, then starts fresh, then gives up") {
  Recovery recovery(kTimes);
  recovery.started(0);
  recovery.ready();
  auto a = recovery.dropped(100000, {1006, 0, false}, true);
  CHECK(a.kind == Attempt::Kind::resume);
  CHECK(a.delay_ms == 500);
  CHECK(recovery.dropped(101000, {1011, 0, true}, true).delay_ms == 1000);
  auto c = recovery.dropped(103000, {1011, 0, true}, true);
  CHECK(c.kind == Attempt::Kind::fresh);
  CHECK(c.delay_ms == 2000);
  auto end = recovery.dropped(129000, {1011, 0, true}, true);
  CHECK(end.kind == Attempt::Kind::fail);
  CHECK(end.retryable);
}

TEST_CASE("recovery: a refused handle is not used again") {
  Recovery recovery(kTimes);
  recovery.ready();
  CHECK(recovery.dropped(0, {1006, 0, false}, true).kind == Attempt::Kind::resume);
  auto next = recovery.dropped(600, {1007, 0, true}, true);
  CHECK(next.kind == Attempt::Kind::fresh);
  CHECK(!next.reduced);
  CHECK(recovery.dropped(700, {1006, 0, true}, true).kind == Attempt::Kind::fresh);
}
