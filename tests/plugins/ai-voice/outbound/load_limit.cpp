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
  while (count < 1000 && limit.admit(kMaxPercent, running + static_cast<size_t>(count)).empty()) ++count;
  return count;
}

// Samples of so many seconds in which no processor time was used and threads waited so long for each of 2000
// runs.
void run_threads(LoadLimit& limit, ServerLoad& load, int seconds, int64_t wait_us) {
  for (int i = 0; i < seconds; ++i) {
    load.now_ns += kSecondNs;
    load.runs += 2000;
    load.wait_ns += 2000 * wait_us * 1000;
    limit.sample(load, 10);
  }
}

// Samples of so many seconds in which no processor time was used and of 50 ticks a second so many were late.
void run_ticks(LoadLimit& limit, ServerLoad& load, int seconds, int64_t late_a_second) {
  for (int i = 0; i < seconds; ++i) {
    load.now_ns += kSecondNs;
    load.ticks += 50;
    load.late_ticks += late_a_second;
    limit.sample(load, 10);
  }
}

}  // namespace

TEST_CASE("before a call was measured, as many start as an assumed cost allows") {
  LoadLimit limit;
  CHECK(admitted(limit, 0) == 450);  // 2 of 1000 of a core each
  limit.sample({5 * kSecondNs, kSecondNs, 2}, 0);
  CHECK(limit.load() == 0);
  CHECK(admitted(limit, 0) == 900);
}

TEST_CASE("the cost of a call is remembered while no call runs") {
  LoadLimit limit = loaded(0.8, 80);
  limit.idle({7 * kSecondNs, 3 * kSecondNs, 2});
  CHECK(limit.load() == 0);
  const int most = admitted(limit, 0);
  CHECK(most > 95);  // 1 % each
  CHECK(most < 105);
  limit.sample({60 * kSecondNs, 3 * kSecondNs, 2}, 0);
  limit.sample({61 * kSecondNs, 3 * kSecondNs, 2}, 0);
  CHECK(admitted(limit, 0) == most);
  // Also when a few cheap calls follow.
  for (int64_t second = 62; second < 72; ++second) limit.sample({second * kSecondNs, 3 * kSecondNs, 2}, 1);
  CHECK(admitted(limit, 1) < 120);
}

TEST_CASE("a smaller cost of calls is learned from as many calls") {
  LoadLimit limit = loaded(0.8, 80);
  int64_t cpu_ns = 10 * kSecondNs;
  for (int64_t second = 7; second < 40; ++second)
    limit.sample({second * kSecondNs, cpu_ns += kSecondNs / 5, 2}, 80);  // 10 %
  CHECK(admitted(limit, 80) > 500);
}

TEST_CASE("calls that are admitted while none runs are forgotten with the next idle time") {
  LoadLimit limit;
  limit.idle({5 * kSecondNs, kSecondNs, 2});
  CHECK(admitted(limit, 0) == 900);
  CHECK(limit.admit(kMaxPercent, 0) == "load");
  limit.idle({6 * kSecondNs, kSecondNs, 2});
  CHECK(limit.admit(kMaxPercent, 0) == "");
}

TEST_CASE("the load of other work is not taken for the cost of calls") {
  constexpr int64_t kOtherNs = kSecondNs * 7 / 10;  // 35 % of two cores
  constexpr int64_t kRings = 15;
  LoadLimit ringing, idle;
  ringing.sample({kSecondNs, 0, 2}, 0);
  for (int64_t second = 1; second <= kRings; ++second)
    ringing.sample({(1 + second) * kSecondNs, second * kOtherNs, 2}, 0);
  idle.idle({kSecondNs, 0, 2});
  idle.sample({(1 + kRings) * kSecondNs, kRings * kOtherNs, 2}, 0);
  for (LoadLimit* limit : {&ringing, &idle}) {
    for (int64_t second = kRings + 1; second < kRings + 10; ++second)
      limit->sample({(1 + second) * kSecondNs, second * kOtherNs, 2}, 1);
    CHECK(limit->load() > 0.34);
    CHECK(admitted(*limit, 2) > 100);
  }
}

TEST_CASE("the load is the share of all cores between two samples") {
  CHECK(loaded(0.5, 1).load() == doctest::Approx(0.5));
  CHECK(loaded(1, 1).load() == doctest::Approx(1));
}

TEST_CASE("no call starts while ticks are late, also when the server uses little processor time") {
  LoadLimit limit;
  ServerLoad load{kSecondNs, 0, 2};
  limit.sample(load, 10);
  run_ticks(limit, load, 10, 1);
  CHECK(limit.admit(kMaxPercent, 10) == "");
  run_ticks(limit, load, 10, 10);
  CHECK(limit.load() == 0);
  CHECK(limit.late_ticks() > 0.1);
  CHECK(limit.admit(kMaxPercent, 10) == "late");
  CHECK(limit.room(kMaxPercent, 10) == 0);
  CHECK(limit.admit(0, 10) == "");  // without a limit
}

TEST_CASE("one pause of the machine makes no call wait, however long it is") {
  for (const int64_t late : {5, 10, 50}) {
    LoadLimit limit;
    ServerLoad load{kSecondNs, 0, 2};
    limit.sample(load, 10);
    run_ticks(limit, load, 1, late);
    CHECK(limit.admit(kMaxPercent, 10) == "");
    run_ticks(limit, load, 1, 0);
    CHECK(limit.admit(kMaxPercent, 10) == "");
    run_ticks(limit, load, 2, late);  // longer than one sample
    CHECK(limit.admit(kMaxPercent, 10) == "late");
  }
  for (const int64_t wait_us : {1000, 5000, 100'000}) {
    LoadLimit limit;
    ServerLoad load{kSecondNs, 0, 2};
    limit.sample(load, 10);
    run_threads(limit, load, 1, wait_us);
    CHECK(limit.admit(kMaxPercent, 10) == "");
    run_threads(limit, load, 1, 100);
    CHECK(limit.admit(kMaxPercent, 10) == "");
    run_threads(limit, load, 2, wait_us);
    CHECK(limit.admit(kMaxPercent, 10) == "late");
  }
}

TEST_CASE("late ticks and waits of threads each end at their own limit") {
  LoadLimit limit;
  ServerLoad load{kSecondNs, 0, 2};
  limit.sample(load, 10);
  const auto run = [&](int64_t late_ticks, int64_t wait_us) {
    for (int i = 0; i < 20; ++i) {
      load.ticks += 50;
      load.late_ticks += late_ticks;
      run_threads(limit, load, 1, wait_us);
    }
  };
  run(0, 300);
  CHECK(limit.admit(kMaxPercent, 10) == "");
  run(10, 300);
  CHECK(limit.admit(kMaxPercent, 10) == "late");
  run(0, 300);
  CHECK(limit.admit(kMaxPercent, 10) == "");
  run(1, 1000);
  CHECK(limit.admit(kMaxPercent, 10) == "late");
  run(1, 100);
  CHECK(limit.admit(kMaxPercent, 10) == "");
}

TEST_CASE("calls start again only when hardly any tick is late, or none runs") {
  LoadLimit limit;
  ServerLoad load{kSecondNs, 0, 2};
  limit.sample(load, 10);
  run_ticks(limit, load, 10, 10);
  run_ticks(limit, load, 20, 1);
  CHECK(limit.admit(kMaxPercent, 10) == "late");
  run_ticks(limit, load, 10, 0);
  CHECK(limit.admit(kMaxPercent, 10) == "");
  run_ticks(limit, load, 10, 10);
  limit.idle(load);
  CHECK(limit.admit(kMaxPercent, 0) == "");
}

TEST_CASE("no call starts while threads wait for a processor, until they hardly do") {
  LoadLimit limit;
  ServerLoad load{kSecondNs, 0, 2};
  limit.sample(load, 10);
  const auto run = [&](int seconds, int64_t wait_us) { run_threads(limit, load, seconds, wait_us); };
  run(10, 200);
  CHECK(limit.admit(kMaxPercent, 10) == "");
  run(1, 1000);  // once
  CHECK(limit.admit(kMaxPercent, 10) == "");
  run(10, 1000);
  CHECK(limit.admit(kMaxPercent, 10) == "late");
  CHECK(limit.wait_ns() > 900'000);
  run(20, 400);
  CHECK(limit.admit(kMaxPercent, 10) == "late");
  run(20, 200);
  CHECK(limit.admit(kMaxPercent, 10) == "");
  CHECK(limit.late_ticks() == 0);
}

TEST_CASE("a load that is not known is no sample") {
  LoadLimit limit = loaded(0.9, 100);
  limit.sample({}, 0);
  CHECK(limit.load() == doctest::Approx(0.9));
  CHECK(limit.admit(kMaxPercent, 100) == "load");
}

TEST_CASE("no call starts at the limit") {
  LoadLimit at = loaded(0.9, 100), above = loaded(1, 0);
  CHECK(admitted(at, 100) == 0);
  CHECK(admitted(above, 0) == 0);
}

TEST_CASE("a limit of 0 is none") { CHECK(loaded(1, 100).admit(0, 100) == ""); }

TEST_CASE("as many calls start as fit when they cost as much as those that talk") {
  LoadLimit limit = loaded(0.8, 80);  // 1 % each
  CHECK(admitted(limit, 80) == 11);   // those assumed before count a little
}

TEST_CASE("calls that ring count as if they talked") {
  LoadLimit limit = loaded(0.8, 80);
  CHECK(admitted(limit, 87) == 4);
  LoadLimit full = loaded(0.8, 80);
  CHECK(admitted(full, 95) == 0);
}

TEST_CASE("one call at a time starts when other work causes the load") {
  LoadLimit limit = loaded(0.89, 1);
  CHECK(admitted(limit, 1) == 1);
}

TEST_CASE("a sample that follows another too soon is ignored") {
  LoadLimit limit = loaded(0.9, 100);
  limit.sample({6 * kSecondNs + 1'000'000, 4 * kSecondNs, 2}, 0);
  CHECK(limit.load() == doctest::Approx(0.9));
  CHECK(admitted(limit, 100) == 0);
}
