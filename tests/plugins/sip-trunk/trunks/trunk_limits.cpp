#include "trunks/trunk_limits.h"

#include <doctest/doctest.h>

#include "stack/sip_limits.h"

using namespace patchbay::sip_trunk;

namespace {

constexpr int64_t kSecondNs = 1'000'000'000;
const TrunkKey kMain{"a.example", "main"};

}  // namespace

TEST_CASE("a trunk takes maxCalls calls at once, and one more when one has ended") {
  TrunkLimits limits;
  const TrunkLimit limit{0, 2};
  CHECK(!limits.take(kMain, limit, "1", 0));
  CHECK(!limits.take(kMain, limit, "2", 0));
  const auto refused = limits.take(kMain, limit, "3", 0);
  REQUIRE(refused);
  CHECK(refused->text == "maxCalls (2) of the trunk main");
  CHECK(refused->retry_ms == 0);
  CHECK(!limits.take({"b.example", "main"}, limit, "3", 0));
  CHECK(!limits.take({"a.example", "spare"}, limit, "3", 0));
  limits.release(kMain);
  CHECK(!limits.take(kMain, limit, "3", 0));
  CHECK(limits.take(kMain, limit, "4", 0));
  CHECK(!limits.take(kMain, {}, "4", 0));  // the limit was removed
}

TEST_CASE("a trunk starts callsPerSecond calls in any second, evenly spaced") {
  TrunkLimits limits;
  const TrunkLimit limit{4, 0};
  CHECK(!limits.take(kMain, limit, "1", kSecondNs));
  const auto refused = limits.take(kMain, limit, "2", kSecondNs + 50'000'000);
  REQUIRE(refused);
  CHECK(refused->text == "callsPerSecond (4) of the trunk main");
  CHECK(refused->retry_ms == 200);
  CHECK(!limits.take(kMain, limit, "2", kSecondNs + 250'000'000));
  int started = 2;
  for (int64_t ns = kSecondNs; ns < 2 * kSecondNs; ns += 10'000'000)
    if (!limits.take(kMain, limit, "3", ns)) ++started;
  CHECK(started == 4);
}

TEST_CASE("a reserved place is the call's own, and free again when it expires or is cancelled") {
  TrunkLimits limits;
  const TrunkLimit limit{0, 1};
  CHECK(!limits.reserve(kMain, limit, "1", 0));
  REQUIRE(limits.reservation("1", 0) != nullptr);
  CHECK(limits.reservation("1", 0)->trunk_id == "main");
  CHECK(limits.take(kMain, limit, "2", 0));
  CHECK(!limits.take(kMain, limit, "1", 0));
  CHECK(limits.reservation("1", 0) == nullptr);
  limits.release(kMain);

  CHECK(!limits.reserve(kMain, limit, "3", 0));
  CHECK(limits.take(kMain, limit, "4", kReservationMs * 1'000'000 - 1));
  CHECK(!limits.take(kMain, limit, "4", kReservationMs * 1'000'000));
  limits.release(kMain);

  CHECK(!limits.reserve(kMain, limit, "5", 0));
  limits.cancel("5");
  limits.cancel("5");
  CHECK(!limits.take(kMain, limit, "6", 0));
}

TEST_CASE("a cancelled reservation gives the start back, too") {
  TrunkLimits limits;
  const TrunkLimit limit{2, 0};
  CHECK(!limits.reserve(kMain, limit, "1", kSecondNs));
  limits.cancel("1");
  CHECK(!limits.reserve(kMain, limit, "2", kSecondNs));
  CHECK(limits.take(kMain, limit, "3", kSecondNs));
  CHECK(!limits.take(kMain, limit, "3", kSecondNs + 500'000'000));
  limits.cancel("2");
  CHECK(limits.take(kMain, limit, "4", kSecondNs + 500'000'000));  // the start of "3" counts
}

TEST_CASE("a place is released once, by its last owner") {
  TrunkLimits limits;
  const TrunkLimit limit{0, 1};
  {
    CHECK(!limits.take(kMain, limit, "1", 0));
    TrunkPlace place(limits, kMain);
    TrunkPlace moved;
    moved = std::move(place);
    CHECK(limits.take(kMain, limit, "2", 0));
  }
  CHECK(!limits.take(kMain, limit, "2", 0));
}

TEST_CASE("calls of other servers count at a trunk, and starts are divided among the servers") {
  TrunkLimits limits;
  const TrunkLimit limit{0, 3};
  limits.set_others({{kMain, 2}}, 2);
  CHECK(!limits.take(kMain, limit, "1", 0));
  CHECK(limits.uses() == std::map<TrunkKey, int64_t>{{kMain, 1}});
  const auto refused = limits.take(kMain, limit, "2", 0);
  REQUIRE(refused);
  CHECK(refused->retry_ms == kTrunkRetryMs);
  limits.set_others({}, 2);
  CHECK(!limits.take(kMain, limit, "2", 0));
  CHECK(!limits.take(kMain, {4, 0}, "3", kSecondNs));
  CHECK(limits.take(kMain, {4, 0}, "4", kSecondNs + 250'000'000));
  CHECK(!limits.take(kMain, {4, 0}, "4", kSecondNs + 500'000'000));
}

TEST_CASE("a call refused by a reserved place asks again, because the end of a reservation is not reported") {
  TrunkLimits limits;
  const TrunkLimit limit{0, 2};
  CHECK(!limits.take(kMain, limit, "1", 0));
  CHECK(!limits.reserve(kMain, limit, "2", 0));
  CHECK(limits.take(kMain, limit, "3", 0)->retry_ms == kTrunkRetryMs);
  CHECK(!limits.take(kMain, limit, "2", 0));
  CHECK(limits.take(kMain, limit, "3", 0)->retry_ms == 0);
}

TEST_CASE("the limit that is reached is known without taking a place or a start") {
  TrunkLimits limits;
  const TrunkLimit limit{1, 2};
  for (int i = 0; i < 5; ++i) CHECK_FALSE(limits.reached(kMain, limit, kSecondNs));
  CHECK(!limits.take(kMain, limit, "1", kSecondNs));
  CHECK(limits.reached(kMain, limit, kSecondNs)->text == "callsPerSecond (1) of the trunk main");
  CHECK(!limits.take(kMain, limit, "2", 2 * kSecondNs));
  CHECK(limits.reached(kMain, limit, 9 * kSecondNs)->text == "maxCalls (2) of the trunk main");
  limits.release(kMain);
  CHECK_FALSE(limits.reached(kMain, limit, 9 * kSecondNs));
}
