#include "core/abi/rig.h"

using namespace abi_test;

TEST_CASE("a commit while others add is whole or refused, and never breaks the writer") {
  Rig rig;
  int64_t id = 0;
  for (int round = 0; round < 100; ++round) {
    const uint64_t tx = rig.table().begin(&*rig.one);
    CHECK(rig.add(tx, ++id) == PB_OK);
    int added = 0;
    std::thread adder([&] {
      // Adds until the table refuses, because the transaction was committed meanwhile.
      for (int i = 0; i < 200 && rig.add(tx, 1'000'000 + id * 1000 + i, std::string(500, 'y')) == PB_OK; ++i)
        ++added;
    });
    const int64_t before = rig.count();
    CHECK(rig.commit(*rig.one, tx).status == PB_OK);
    adder.join();
    CHECK(rig.count() == before + 1 + added);
  }
}

TEST_CASE("a plugin ends its own jobs only") {
  Rig rig;
  struct Seen {
    std::mutex mutex;
    std::vector<std::pair<int64_t, int64_t>> jobs;
  } seen;
  const uint64_t worker = rig.table().job_worker(
      &*rig.one, to_abi("dial"), 1, 60'000, 0,
      [](void* user, const pb_job* job) noexcept {
        auto& to = *static_cast<Seen*>(user);
        const std::lock_guard lock(to.mutex);
        to.jobs.emplace_back(job->id, job->fence);
      },
      &seen);
  CHECK(worker != 0);
  const auto count = [&] {
    const std::lock_guard lock(seen.mutex);
    return seen.jobs.size();
  };
  const auto last = [&] {
    const std::lock_guard lock(seen.mutex);
    return seen.jobs.back();
  };
  for (int i = 0; i < 2; ++i) {
    const uint64_t tx = rig.table().begin(&*rig.one);
    rig.table().job_add(&*rig.one, tx, to_abi("dial"), {}, {}, rig.clock.now_ms(), to_abi("body"));
    CHECK(rig.commit(*rig.one, tx).status == PB_OK);
  }
  REQUIRE(eventually([&] { return count() == 1; }));
  uint64_t tx = rig.table().begin(&*rig.other);
  rig.table().job_done(&*rig.other, tx, last().first, last().second);
  CHECK(rig.commit(*rig.other, tx).status == PB_E_FENCED);
  // In a transaction of another plugin, the plugin that adds the operation must own the job.
  tx = rig.table().begin(&*rig.other);
  rig.table().job_done(&*rig.one, tx, last().first, last().second);
  CHECK(rig.commit(*rig.other, tx).status == PB_OK);
  CHECK(eventually([&] { return count() == 2; }));  // the worker has room again
}

TEST_CASE("events under the core's own topics are refused with the transaction") {
  Rig rig;
  const uint64_t tx = rig.table().begin(&*rig.one);
  pb_event event{};
  event.size = sizeof event;
  event.topic = to_abi("core.bus.dropped");
  CHECK(rig.add(tx, 1) == PB_OK);
  CHECK(rig.table().emit(&*rig.one, tx, &event, {}) == PB_E_DENIED);
  const Committed refused = rig.commit(*rig.one, tx);
  CHECK(refused.status == PB_E_DENIED);
  CHECK(refused.text.find("core.") != std::string::npos);
  CHECK(rig.count() == 0);
}

TEST_CASE("a lease that makes no sense is brought into its bounds, with a warning") {
  Rig rig;
  std::atomic<int> calls{0};
  for (const int64_t lease_ms : {int64_t{0}, int64_t{-5}, INT64_MAX}) {
    CHECK(rig.table().job_worker(
              &*rig.one, to_abi("k" + std::to_string(lease_ms)), 1, lease_ms, 0,
              [](void* user, const pb_job*) noexcept { ++*static_cast<std::atomic<int>*>(user); },
              &calls) != 0);
  }
  CHECK(rig.log_text().find("a lease is a second at least") != std::string::npos);
  const uint64_t tx = rig.table().begin(&*rig.one);
  rig.table().job_add(&*rig.one, tx, to_abi("k0"), {}, {}, rig.clock.now_ms(), {});
  CHECK(rig.commit(*rig.one, tx).status == PB_OK);
  REQUIRE(eventually([&] { return calls == 1; }));
  // The manual clock stands still, so the lease does not end; with a lease of 0 the job would be claimed
  // again.
  for (int i = 0; i < 5; ++i) CHECK(rig.commit(*rig.one, rig.table().begin(&*rig.one)).status == PB_OK);
  CHECK(calls == 1);
  rig.clock.advance(std::chrono::milliseconds(1001));
  CHECK(eventually([&] { return calls == 2; }));
}

TEST_CASE("transactions left open are bounded") {
  Rig rig;
  uint64_t handle = 1;
  int open = 0;
  for (; handle != 0 && open < 100'000; ++open) handle = rig.table().begin(&*rig.one);
  CHECK(handle == 0);
  CHECK(rig.table().begin(&*rig.other) != 0);
  CHECK(rig.commit(*rig.one, handle).status == PB_E_GONE);
  CHECK(rig.log_text().find("too many open transactions") != std::string::npos);
}
