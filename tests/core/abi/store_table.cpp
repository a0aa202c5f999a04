#include "core/abi/host_harness.h"

using namespace abi_test;

TEST_CASE("a commit while others add is whole or refused, and never breaks the writer") {
  HostHarness harness;
  int64_t id = 0;
  for (int round = 0; round < 100; ++round) {
    const uint64_t tx = harness.table().begin(&*harness.one);
    CHECK(harness.add(tx, ++id) == PB_OK);
    int added = 0;
    std::thread adder([&] {
      // Adds until the table refuses, because the transaction was committed meanwhile.
      for (int i = 0; i < 200 && harness.add(tx, 1'000'000 + id * 1000 + i, std::string(500, 'y')) == PB_OK;
           ++i)
        ++added;
    });
    const int64_t before = harness.count();
    CHECK(harness.commit(*harness.one, tx).status == PB_OK);
    adder.join();
    CHECK(harness.count() == before + 1 + added);
  }
}

TEST_CASE("a plugin ends its own jobs only") {
  HostHarness harness;
  struct Seen {
    std::mutex mutex;
    std::vector<std::pair<int64_t, int64_t>> jobs;
  } seen;
  const uint64_t worker = harness.table().job_worker(
      &*harness.one, to_abi("dial"), 1, 60'000, 0,
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
    const uint64_t tx = harness.table().begin(&*harness.one);
    harness.table().job_add(&*harness.one, tx, to_abi("dial"), {}, {}, harness.clock.now_ms(),
                            to_abi("body"));
    CHECK(harness.commit(*harness.one, tx).status == PB_OK);
  }
  REQUIRE(eventually([&] { return count() == 1; }));
  uint64_t tx = harness.table().begin(&*harness.other);
  harness.table().job_done(&*harness.other, tx, last().first, last().second);
  CHECK(harness.commit(*harness.other, tx).status == PB_E_FENCED);
  // In a transaction of another plugin, the plugin that adds the operation must own the job.
  tx = harness.table().begin(&*harness.other);
  harness.table().job_done(&*harness.one, tx, last().first, last().second);
  CHECK(harness.commit(*harness.other, tx).status == PB_OK);
  CHECK(eventually([&] { return count() == 2; }));  // the worker has room again
}

TEST_CASE("events under the core's own topics are refused with the transaction") {
  HostHarness harness;
  const uint64_t tx = harness.table().begin(&*harness.one);
  pb_event event{};
  event.size = sizeof event;
  event.topic = to_abi("core.bus.dropped");
  CHECK(harness.add(tx, 1) == PB_OK);
  CHECK(harness.table().emit(&*harness.one, tx, &event, {}) == PB_E_DENIED);
  const Committed refused = harness.commit(*harness.one, tx);
  CHECK(refused.status == PB_E_DENIED);
  CHECK(refused.text.find("core.") != std::string::npos);
  CHECK(harness.count() == 0);
}

TEST_CASE("a lease out of bounds is brought into them, with a warning") {
  HostHarness harness;
  std::atomic<int> calls{0};
  for (const int64_t lease_ms : {int64_t{0}, int64_t{-5}, INT64_MAX}) {
    CHECK(harness.table().job_worker(
              &*harness.one, to_abi("k" + std::to_string(lease_ms)), 1, lease_ms, 0,
              [](void* user, const pb_job*) noexcept { ++*static_cast<std::atomic<int>*>(user); },
              &calls) != 0);
  }
  CHECK(harness.log_text().find("a lease is a second at least") != std::string::npos);
  const uint64_t tx = harness.table().begin(&*harness.one);
  harness.table().job_add(&*harness.one, tx, to_abi("k0"), {}, {}, harness.clock.now_ms(), {});
  CHECK(harness.commit(*harness.one, tx).status == PB_OK);
  REQUIRE(eventually([&] { return calls == 1; }));
  // The manual clock stands still, so the lease does not end; with a lease of 0 the job would be claimed
  // again.
  for (int i = 0; i < 5; ++i)
    CHECK(harness.commit(*harness.one, harness.table().begin(&*harness.one)).status == PB_OK);
  CHECK(calls == 1);
  harness.clock.advance(std::chrono::milliseconds(1001));
  CHECK(eventually([&] { return calls == 2; }));
}

TEST_CASE("transactions left open are bounded") {
  HostHarness harness;
  uint64_t handle = 1;
  int open = 0;
  for (; handle != 0 && open < 100'000; ++open) handle = harness.table().begin(&*harness.one);
  CHECK(handle == 0);
  CHECK(harness.table().begin(&*harness.other) != 0);
  CHECK(harness.commit(*harness.one, handle).status == PB_E_GONE);
  CHECK(harness.log_text().find("too many open transactions") != std::string::npos);
}

TEST_CASE("on a thread that runs strands as a guest, a query is answered before the call returns") {
  HostHarness harness;
  struct Asked {
    HostHarness& harness;
    std::vector<std::thread::id> threads;
    int64_t count = -1;
    std::string json;
  } asked{harness, {}, -1, {}};
  const auto ask = [](void* user) noexcept {
    auto& to = *static_cast<Asked*>(user);
    to.threads.push_back(std::this_thread::get_id());
    const uint64_t statement = to.harness.statement("count");
    to.harness.table().query(
        &*to.harness.one, statement, nullptr, 0, 0,
        [](void* asker, int32_t status, const pb_rows* rows, const pb_err*) noexcept {
          auto& answered = *static_cast<Asked*>(asker);
          answered.threads.push_back(std::this_thread::get_id());
          if (status == PB_OK) answered.count = rows->cells[0].integer;
        },
        &to);
    to.harness.table().query_json(
        &*to.harness.one, statement, nullptr, 0, to_abi("rows"), 0,
        [](void* asker, int32_t status, pb_buf* json, uint64_t, const pb_err*) noexcept {
          auto& answered = *static_cast<Asked*>(asker);
          answered.threads.push_back(std::this_thread::get_id());
          if (status == PB_OK) answered.json = Buffer::share(json).view();
        },
        &to);
  };
  harness.services().runtime.wait_idle(std::chrono::seconds(60));
  for (int64_t round = 0; round < 3; ++round) {
    asked.threads.clear();
    CHECK(runtime_table().strand_run(&*harness.one, 0, ask, &asked) == PB_OK);
    REQUIRE(eventually([&] { return harness.one->outstanding() == 0; }));  // a slow machine asks a reader
    CHECK(asked.threads.size() == 3);
    CHECK(asked.count == round);
    CHECK(asked.json == "[{\"rows\":" + std::to_string(round) + "}]");
    const uint64_t tx = harness.table().begin(&*harness.one);
    harness.add(tx, round);
    CHECK(harness.commit(*harness.one, tx).status == PB_OK);
    harness.services().runtime.wait_idle(std::chrono::seconds(60));
  }
  CHECK(runtime_table().strand_run(&*harness.one, 12345, ask, &asked) == PB_E_GONE);
}

TEST_CASE("a query for JSON with another plugin's statement fails") {
  HostHarness harness;
  const uint64_t foreign = harness.statement("count");
  const auto status = wait_for<int32_t>(
      [&](auto done) {
        harness.table().query_json(
            &*harness.other, foreign, nullptr, 0, to_abi("rows"), 0,
            [](void* user, int32_t code, pb_buf* json, uint64_t, const pb_err*) noexcept {
              const std::unique_ptr<std::function<void(int32_t)>> answer(
                  static_cast<std::function<void(int32_t)>*>(user));
              (*answer)(json == nullptr ? code : PB_OK);
            },
            new std::function<void(int32_t)>(done));
      },
      PB_E_TIMEOUT);
  CHECK(status == PB_E_MISUSE);
}

TEST_CASE("a tenant's log has the events of all plugins, and nothing of other tenants") {
  HostHarness harness;
  for (const char* tenant : {"t1", "t2", "t1"}) {
    for (auto* context : {&*harness.one, &*harness.other}) {
      const uint64_t tx = harness.table().begin(context);
      pb_event event{};
      event.size = sizeof event;
      event.topic = to_abi("call.answered");
      event.tenant = to_abi(tenant);
      event.payload = to_abi("{}");
      CHECK(harness.table().emit(context, tx, &event, {}) == PB_OK);
      CHECK(harness.commit(*context, tx).status == PB_OK);
    }
  }
  struct Page {
    std::vector<int64_t> numbers;
    int64_t oldest = -1, newest = -1;
  };
  const auto read = [&](int64_t after, uint32_t limit) {
    return wait_for<Page>(
        [&](auto done) {
          harness.table().read_log(
              &*harness.other, to_abi("t1"), after, limit, 0,
              [](void* user, int32_t status, const pb_event* const* events, uint32_t count, int64_t oldest,
                 int64_t newest, const pb_err*) noexcept {
                const std::unique_ptr<std::function<void(Page)>> answer(
                    static_cast<std::function<void(Page)>*>(user));
                Page page{{}, oldest, newest};
                for (uint32_t i = 0; status == PB_OK && i < count; ++i)
                  page.numbers.push_back(from_abi(events[i]->tenant) == "t1" ? events[i]->tenant_seq : -1);
                (*answer)(page);
              },
              new std::function<void(Page)>(done));
        },
        Page{});
  };
  CHECK(read(0, 1000).numbers == std::vector<int64_t>{1, 2, 3, 4});
  CHECK(read(-5, 0).numbers == std::vector<int64_t>{1});
  CHECK(read(3, UINT32_MAX).numbers == std::vector<int64_t>{4});
  CHECK(read(4, 10).newest == 4);
  CHECK(read(4, 10).oldest == 0);
}
