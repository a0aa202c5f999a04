#include "runtime/media_pool.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "runtime/manual_clock.h"
#include "runtime/owner_name.h"
#include "runtime/thread_kind.h"
#include "support/within.h"

namespace {

using namespace patchbay::core;
using namespace std::chrono_literals;

struct Reports {
  std::mutex mutex;
  std::vector<std::string> all;
  static void add(void* self, const StallReport& report) {
    auto& reports = *static_cast<Reports*>(self);
    const std::lock_guard lock(reports.mutex);
    reports.all.push_back(std::string(report.owner) + " " + std::string(report.strand));
  }
};

struct Blocker {
  std::atomic<bool> hold{true};
  std::atomic<bool> inside{false};
  std::atomic<bool> left{false};
  static void tick(void* self, uint64_t, int64_t) {
    auto& blocker = *static_cast<Blocker*>(self);
    if (blocker.left) return;
    const OwnerScope scope(interned_name("blocks"));
    blocker.inside = true;
    while (blocker.hold) std::this_thread::sleep_for(1ms);
    blocker.left = true;
  }
};

MediaOptions one_loop(Reports& reports) {
  MediaOptions options;
  options.loops = 1;
  options.realtime = false;
  options.on_stall = &Reports::add;
  options.stall_user = &reports;
  return options;
}

}  // namespace

TEST_CASE("A tick that hangs is reported once with its owner, and counted") {
  Reports reports;
  Blocker blocker;
  MediaPool pool(one_loop(reports));
  pool.at(0).attach(&Blocker::tick, &blocker);
  REQUIRE(within(60s, [&] { return blocker.inside.load(); }));
  const int64_t began = pool.at(0).now().since_ns;
  pool.check(began + 900'000'000);
  CHECK(pool.stalls() == 0);
  pool.check(began + 1'100'000'000);
  pool.check(began + 5'000'000'000);
  CHECK(pool.stalls() == 1);
  CHECK(pool.stalled() == 1);
  CHECK(reports.all == std::vector<std::string>{"blocks media loop 0"});
  blocker.hold = false;
  REQUIRE(within(60s, [&] { return blocker.left && pool.at(0).now().since_ns == 0; }));
  pool.check(began + 9'000'000'000);
  CHECK(pool.stalls() == 1);
  CHECK(pool.stalled() == 0);
}

TEST_CASE("A pool stops although the tick of a loop hangs") {
  static Blocker blocker;  // the leaked thread may use it
  Reports reports;
  {
    MediaPool pool(one_loop(reports));
    pool.at(0).attach(&Blocker::tick, &blocker);
    REQUIRE(within(60s, [] { return blocker.inside.load(); }));
    pool.stop(50ms);
    CHECK_FALSE(blocker.left);
  }
  blocker.hold = false;
  CHECK(within(60s, [] { return blocker.left.load(); }));
}

TEST_CASE("Detaching from another loop's tick takes no lock that attaching holds") {
  // Threads attach and detach on two loops, and try to detach on the loop that the port is not on.
  Reports reports;
  MediaOptions options = one_loop(reports);
  options.loops = 2;
  MediaPool pool(options);
  std::atomic<int> done{0};
  std::atomic<bool> over{false};
  std::vector<std::thread> threads;
  for (size_t t = 0; t < 2; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        const AttachId id = pool.at(t).attach([](void*, uint64_t, int64_t) {}, nullptr);
        CHECK(pool.at(t).detach(
            id, nullptr, [](void* count) { ++*static_cast<std::atomic<int>*>(count); }, &done));
        CHECK_FALSE(pool.at(t).detach(id, nullptr, nullptr, nullptr));
        CHECK_FALSE(pool.at(1 - t).detach(id, nullptr, nullptr, nullptr));
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(within(60s, [&] { return done == 400; }));
}

TEST_CASE("a pool that is driven by hand ticks by its clock when it is pumped") {
  ManualClock clock;
  MediaOptions options;
  options.manual_clock = &clock;
  MediaPool pool(options);
  REQUIRE(pool.size() == 1);
  pool.pump();
  CHECK(pool.next_due_ns() == INT64_MAX);

  struct Seen {
    int ticks = 0;
    bool on_media = false;
    std::atomic<bool> ended{false};
  } seen;
  const AttachId id = pool.at(0).attach(
      [](void* self, uint64_t, int64_t) {
        static_cast<Seen*>(self)->ticks += 1;
        static_cast<Seen*>(self)->on_media = thread_kind() == ThreadKind::media;
      },
      &seen);
  pool.pump();
  CHECK(pool.next_due_ns() != INT64_MAX);
  CHECK(seen.ticks == 0);
  clock.advance(std::chrono::nanoseconds(pool.next_due_ns() - clock.now_ns()));
  pool.check(clock.now_ns() + 1'000'000'000'000);  // real time is not its time
  pool.pump();
  CHECK(pool.next_due_ns() != INT64_MAX);
  CHECK(seen.ticks == 1);
  CHECK(seen.on_media);
  CHECK(pool.stalls() == 0);

  bool ran = false;
  pool.pump([](void* user) { *static_cast<bool*>(user) = true; }, &ran);
  CHECK(ran);
  CHECK(pool.at(0)
            .detach(
                id, nullptr, [](void* self) { static_cast<Seen*>(self)->ended = true; }, &seen)
            .ok());
  pool.pump();
  CHECK(pool.next_due_ns() == INT64_MAX);
  CHECK(seen.ended);
}
