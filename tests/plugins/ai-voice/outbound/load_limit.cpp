#include "outbound/load_limit.h"

#include <doctest/doctest.h>

using namespace patchbay::ai_voice;

namespace {

constexpr int64_t kSecondNs = 1'000'000'000;
constexpr int64_t kMaxPercent = 90;

// Two samples, between which the process used this share of two cores.
LoadLimit loaded(double share, size_t talking) {
  LoadLimit limit;
  limit.sample({5 * kSecondNs, kSecondNs, 2}, talking);
  const auto used_ns = static_cast<int64_t>(share * 2 * double(kSecondNs));
  limit.sample({6 * kSecondNs, kSecondNs + used_ns, 2}, talking);
  return limit;
}

int admitted(LoadLimit& limit, size_t running) {
  int count = 0;
  while (count < 1000 && limit.admit(kMaxPercent, running + static_cast<size_t>(count))) ++count;
  return count;
}

}  // namespace

TEST_CASE("calls start until the load is known") {
  LoadLimit limit;
  CHECK(admitted(limit, 0) == 1000);
  limit.sample({5 * kSecondNs, kSecondNs, 2}, 10);
  CHECK(limit.load() == 0);
  CHECK(admitted(limit, 10) == 1000);
}

TEST_CASE("the load is the share of all cores between two samples") {
  CHECK(loaded(0.5, 1).load() == doctest::Approx(0.5));
  CHECK(loaded(1, 1).load() == doctest::Approx(1));
}

TEST_CASE("a quota of processor time counts as cores") {
  CHECK(LoadLimit::quota_cores("150000 100000") == doctest::Approx(1.5));
  CHECK(LoadLimit::quota_cores("50000 100000") == doctest::Approx(0.5));
  CHECK(LoadLimit::quota_cores("max 100000") == 0);
  CHECK(LoadLimit::quota_cores("") == 0);
  CHECK(LoadLimit::quota_cores("100000 0") == 0);
  CHECK(LoadLimit::usage_now().cores > 0);
}

TEST_CASE("no call starts at the limit") {
  LoadLimit at = loaded(0.9, 100), above = loaded(1, 0);
  CHECK(admitted(at, 100) == 0);
  CHECK(admitted(above, 0) == 0);
}

TEST_CASE("a limit of 0 is none") { CHECK(loaded(1, 100).admit(0, 100)); }

TEST_CASE("as many calls start as fit when they cost as much as those that talk") {
  LoadLimit limit = loaded(0.8, 80);  // 1 % each
  CHECK(admitted(limit, 80) == 10);
}

TEST_CASE("calls that ring count as if they talked") {
  LoadLimit limit = loaded(0.8, 80);
  CHECK(admitted(limit, 87) == 3);
  LoadLimit full = loaded(0.8, 80);
  CHECK(admitted(full, 95) == 0);
}

TEST_CASE("one call at a time starts when other work causes the load") {
  LoadLimit limit = loaded(0.6, 1);
  CHECK(admitted(limit, 1) == 1);
}

TEST_CASE("a sample that follows another too soon is ignored") {
  LoadLimit limit = loaded(0.9, 100);
  limit.sample({6 * kSecondNs + 1'000'000, 4 * kSecondNs, 2}, 0);
  CHECK(limit.load() == doctest::Approx(0.9));
  CHECK(admitted(limit, 100) == 0);
}
