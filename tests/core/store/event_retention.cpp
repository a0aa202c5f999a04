#include "store/event_retention.h"

#include <latch>
#include <memory>
#include <thread>

#include "core/store/fixture.h"
#include "runtime/manual_clock.h"
#include "runtime/strand.h"

using namespace store_test;

namespace {

struct RetentionHarness {
  explicit RetentionHarness(int threads = 2) {
    RuntimeOptions options;
    options.executor.threads = threads;
    options.manual = &clock;
    runtime = *Runtime::create(options);
    StoreOptions store_options;
    store_options.now_ms = [this] { return clock.now_ms(); };
    store = *open_store(dir.path / "store.db", std::move(store_options));
  }
  void emit(int count, const char* topic) {
    Transaction tx;
    for (int i = 0; i < count; ++i) tx.add(event(topic, std::to_string(i)));
    REQUIRE(commit(*store, std::move(tx)).status.ok());
  }
  size_t logged() {
    size_t count = 0;
    for (int64_t last = 0;;) {
      const auto more = read_log(*store, last);
      if (more.empty()) return count;
      count += more.size();
      last = more.back().id;
    }
  }
  // Polls the log, because the store's tasks give no other signal.
  bool log_shrinks_to(size_t wanted) {
    for (int i = 0; i < 1200 && logged() != wanted; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return logged() == wanted;
  }
  void pass(std::chrono::milliseconds time) { CHECK(clock.advance(time, runtime->executor())); }

  TempDir dir;
  ManualClock clock;
  std::unique_ptr<Runtime> runtime;
  std::unique_ptr<Store> store;
  std::mutex mutex;
  std::vector<std::string> warnings;
};

constexpr std::chrono::milliseconds kKeep(EventRetention::kKeepMs);
constexpr std::chrono::milliseconds kEvery(EventRetention::kSweepIntervalMs);

}  // namespace

TEST_CASE("one sweep removes all old events, in as many slices as needed" SQLITE_ONLY) {
  RetentionHarness harness;
  harness.emit(3 * EventRetention::kSlice + 7, "old");
  harness.pass(kKeep + kEvery);
  harness.emit(2, "young");
  EventRetention retention(*harness.runtime, *harness.store, [](const std::string&) {});
  harness.pass(kEvery);
  CHECK(harness.log_shrinks_to(2));
  // The store's writer removes a slice before it reports it.
  const size_t wanted = 3 * EventRetention::kSlice + 7;
  for (int i = 0; i < 1200 && retention.removed() != wanted; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  CHECK(retention.removed() == wanted);
}

TEST_CASE("a consumer not registered for 30 days is forgotten with a warning and its events are removed") {
  RetentionHarness harness;
  REQUIRE(add_consumer(*harness.store, "hooks/fan-out", {"*"}).ok());
  harness.emit(3, "old");
  StoreOptions options;
  options.now_ms = [&] { return harness.clock.now_ms(); };
  harness.store.reset();
  harness.store = *open_store(harness.dir.path / "store.db", std::move(options));
  std::promise<std::string> warned;
  EventRetention retention(*harness.runtime, *harness.store,
                           [&](const std::string& text) { warned.set_value(text); });
  harness.pass(kKeep + 2 * kEvery);
  auto future = warned.get_future();
  REQUIRE(future.wait_for(std::chrono::seconds(60)) == std::future_status::ready);
  CHECK(future.get().find("hooks/fan-out is forgotten") != std::string::npos);
  harness.pass(kEvery);
  CHECK(harness.log_shrinks_to(0));
}

TEST_CASE("retention stops although plugins block every thread") {
  RetentionHarness harness(1);
  auto retention =
      std::make_unique<EventRetention>(*harness.runtime, *harness.store, [](const std::string&) {});
  std::latch go_on(1);
  std::vector<Ref<Strand>> stuck;
  for (int i = 0; i < 60; ++i) {
    stuck.push_back(Strand::create(harness.runtime->executor(), "plugin", "stuck"));
    CHECK(stuck.back()->post([&] { go_on.wait(); }));
  }
  auto ended = std::async(std::launch::async, [&] { retention.reset(); });
  CHECK(ended.wait_for(std::chrono::seconds(60)) == std::future_status::ready);
  go_on.count_down();
}

TEST_CASE("retention stops while a sweep begins") {
  RetentionHarness harness;
  for (int i = 0; i < 200; ++i) {
    auto retention =
        std::make_unique<EventRetention>(*harness.runtime, *harness.store, [](const std::string&) {});
    std::latch both(2);
    std::thread sweep([&] {
      both.arrive_and_wait();
      harness.clock.advance(std::chrono::milliseconds(EventRetention::kFirstSweepMs));
    });
    both.arrive_and_wait();
    retention.reset();
    sweep.join();
  }
}
