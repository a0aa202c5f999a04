#include "abi/job_worker.h"

#include "core/abi/host_harness.h"

using namespace abi_test;

namespace {

struct Claims {
  std::mutex mutex;
  std::vector<int64_t> due;
  static void note(void* user, const pb_job* job) noexcept {
    auto& self = *static_cast<Claims*>(user);
    const std::lock_guard lock(self.mutex);
    self.due.push_back(job->due_ms);
  }
  size_t count() {
    const std::lock_guard lock(mutex);
    return due.size();
  }
};

}  // namespace

TEST_CASE("a job worker sleeps until the next job is due, and wakes for an earlier one") {
  HostHarness harness;
  Claims claims;
  CHECK(harness.table().job_worker(&*harness.one, to_abi("dial"), 4, 60'000, 0, &Claims::note, &claims) != 0);
  const int64_t now_ms = harness.clock.now_ms();
  const auto add = [&](int64_t due_ms) {
    const uint64_t tx = harness.table().begin(&*harness.one);
    harness.table().job_add(&*harness.one, tx, to_abi("dial"), {}, {}, due_ms, {});
    CHECK(harness.commit(*harness.one, tx).status == PB_OK);
  };
  add(now_ms + 50'000);
  add(now_ms + 20'000);
  CHECK(claims.count() == 0);
  // The claim may lag behind the clock, so the clock stops before the other job is due.
  CHECK(eventually([&] {
    if (claims.count() == 0 && harness.clock.now_ms() < now_ms + 40'000)
      harness.clock.advance(std::chrono::seconds(1));
    return claims.count() == 1;
  }));
  CHECK(claims.due.front() == now_ms + 20'000);
  CHECK(eventually([&] {
    if (claims.count() == 1) harness.clock.advance(std::chrono::seconds(1));
    return claims.count() == 2;
  }));
}

TEST_CASE("a job that is due after the worker's alarm costs no claim, and is claimed in time") {
  HostHarness harness;
  Claims claims;
  CHECK(harness.table().job_worker(&*harness.one, to_abi("dial"), 4, 60'000, 0, &Claims::note, &claims) != 0);
  const auto tasks = [&] {
    harness.services().runtime.wait_idle(std::chrono::seconds(60));
    return harness.store().stats().tasks;
  };
  REQUIRE(eventually([&] { return tasks() == 2; }));  // its schema, and the claim of the new worker
  const int64_t now_ms = harness.clock.now_ms();
  for (const int64_t due_ms : {now_ms + 20'000, now_ms + 30'000, now_ms + 20'000}) {
    const uint64_t before = tasks();
    const uint64_t tx = harness.table().begin(&*harness.one);
    harness.table().job_add(&*harness.one, tx, to_abi("dial"), {}, {}, due_ms, {});
    CHECK(harness.commit(*harness.one, tx).status == PB_OK);
    CHECK(tasks() == before + 1);
  }
  CHECK(claims.count() == 0);
  CHECK(eventually([&] {
    if (claims.count() < 3) harness.clock.advance(std::chrono::seconds(1));
    return claims.count() == 3;
  }));
}

TEST_CASE("a job that is added while the alarm of another is overdue does not delay that one") {
  HostHarness harness;
  Claims claims;
  CHECK(harness.table().job_worker(&*harness.one, to_abi("dial"), 4, 60'000, 0, &Claims::note, &claims) != 0);
  auto& timers = harness.services().runtime.timers();
  const int64_t now_ms = harness.clock.now_ms();
  const auto add = [&](int64_t due_ms) {
    const uint64_t tx = harness.table().begin(&*harness.one);
    harness.table().job_add(&*harness.one, tx, to_abi("dial"), {}, {}, due_ms, {});
    CHECK(harness.commit(*harness.one, tx).status == PB_OK);
  };
  add(now_ms + 20'000);
  REQUIRE(eventually([&] { return timers.next_due(TimerClock::wall) == now_ms + 20'000; }));
  harness.clock.drive(nullptr);  // the time comes, and the timer has not fired yet
  harness.clock.advance(std::chrono::seconds(20));
  add(now_ms + 50'000);
  CHECK(eventually([&] { return claims.count() == 1; }));
  harness.clock.drive(&timers);
}
