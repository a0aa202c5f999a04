#include "runtime/media_loop.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <thread>
#include <vector>

#include "runtime/executor.h"
#include "runtime/manual_clock.h"
#include "runtime/media_pool.h"
#include "runtime/thread_kind.h"

using namespace patchbay::core;
using namespace std::chrono_literals;

namespace {

struct Port {
  std::vector<uint64_t> ticks;
  ManualClock* stall = nullptr;  // moved by stall_by once, inside the next tick
  std::chrono::milliseconds stall_by{0};

  static void tick(void* self, uint64_t tick_no, int64_t) {
    auto& port = *static_cast<Port*>(self);
    port.ticks.push_back(tick_no);
    if (port.stall) std::exchange(port.stall, nullptr)->advance(port.stall_by);
  }
};

void set_flag(void* user) { *static_cast<bool*>(user) = true; }

}  // namespace

TEST_CASE("A loop ticks every 20 ms and not in between") {
  ManualClock clock;
  MediaLoop loop(clock);
  Port port;
  loop.attach(Port::tick, &port);
  loop.run_due();
  CHECK(port.ticks.empty());
  for (int i = 0; i < 3; ++i) {
    clock.advance(20ms);
    const int64_t next = loop.run_due();
    CHECK(next == clock.now_ns() + 20'000'000);
    loop.run_due();
  }
  CHECK(port.ticks == std::vector<uint64_t>{1, 2, 3});
  CHECK(loop.stats().late == 0);
}

TEST_CASE("After a stalled tick at most three are caught up and the rest is skipped") {
  ManualClock clock;
  MediaLoop loop(clock);
  Port port;
  loop.attach(Port::tick, &port);
  port.stall = &clock;
  SUBCASE("a stall of two steps is caught up") {
    port.stall_by = 45ms;
    clock.advance(20ms);
    loop.run_due();
    CHECK(port.ticks == std::vector<uint64_t>{1, 2, 3});
    CHECK(loop.stats().skipped == 0);
    CHECK(loop.stats().late == 1);
    CHECK(loop.stats().busy_ns == 45'000'000);
    CHECK(loop.stats().max_late_ns == 25'000'000);
  }
  SUBCASE("a stall of ten steps is not caught up") {
    port.stall_by = 200ms;
    clock.advance(20ms);
    loop.run_due();
    CHECK(port.ticks == std::vector<uint64_t>{1, 2, 3});
    CHECK(loop.stats().skipped == 8);
    clock.advance(20ms);
    loop.run_due();
    CHECK(port.ticks.back() == 12);
    CHECK(loop.stats().ticks == 4);
  }
}

TEST_CASE("A port that detaches itself or another in a tick is not called again") {
  struct Pair {
    MediaLoop& loop;
    AttachId ids[2] = {};
    int calls[2] = {};
    bool done[2] = {};
  };
  ManualClock clock;
  MediaLoop loop(clock);
  Pair pair{loop};
  const auto first = [](void* self, uint64_t, int64_t) {
    auto& p = *static_cast<Pair*>(self);
    ++p.calls[0];
    CHECK(p.loop.detach(p.ids[0], nullptr, set_flag, &p.done[0]).ok());
    CHECK(p.loop.detach(p.ids[1], nullptr, set_flag, &p.done[1]).ok());
    CHECK_FALSE(p.loop.detach(p.ids[1], nullptr, set_flag, &p.done[1]).ok());
  };
  const auto second = [](void* self, uint64_t, int64_t) { ++static_cast<Pair*>(self)->calls[1]; };
  pair.ids[0] = loop.attach(first, &pair);
  pair.ids[1] = loop.attach(second, &pair);
  clock.advance(20ms);
  loop.run_due();
  CHECK_FALSE(pair.done[0]);
  for (int i = 0; i < 3; ++i) {
    clock.advance(20ms);
    loop.run_due();
  }
  CHECK(pair.calls[0] == 1);
  CHECK(pair.calls[1] == 0);
  CHECK(pair.done[0]);
  CHECK(pair.done[1]);
  CHECK(loop.empty());
}

TEST_CASE("Detaching with a strand calls done on that strand") {
  Executor executor({2});
  const auto strand = Strand::create(executor, "test", "media");
  ManualClock clock;
  MediaLoop loop(clock);
  Port port;
  const AttachId id = loop.attach(Port::tick, &port);
  bool on_strand = false;
  struct Seen {
    Strand& strand;
    bool& on_strand;
  } seen{*strand, on_strand};
  CHECK(loop.detach(
                id, strand.get(),
                [](void* user) {
                  auto& s = *static_cast<Seen*>(user);
                  s.on_strand = s.strand.is_current();
                },
                &seen)
            .ok());
  loop.run_due();
  REQUIRE(executor.wait_idle(60s));
  CHECK(on_strand);
}

TEST_CASE("A detach after the loop has stopped completes at once") {
  ManualClock clock;
  MediaLoop loop(clock);
  Port port;
  const AttachId waiting = loop.attach(Port::tick, &port);
  const AttachId late = loop.attach(Port::tick, &port);
  bool done[2] = {};
  CHECK(loop.detach(waiting, nullptr, set_flag, &done[0]).ok());
  loop.stop();
  CHECK(done[0]);
  CHECK(loop.detach(late, nullptr, set_flag, &done[1]).ok());
  CHECK(done[1]);
}

TEST_CASE("Many threads attach and detach ports while the loops run") {
  struct Counted {
    std::atomic<int> ticks{0};
    std::atomic<bool> gone{false};
    std::atomic<int> late{0};
    std::promise<void> first;
  };
  Executor executor({2});
  MediaPool pool({2, false});
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      const auto strand = Strand::create(executor, "test", "media");
      for (int i = 0; i < 10; ++i) {
        Counted port;
        std::promise<void> done;
        auto& loop = pool.least_loaded();
        const AttachId id = loop.attach(
            [](void* self, uint64_t, int64_t) {
              auto& p = *static_cast<Counted*>(self);
              if (p.gone || thread_kind() != ThreadKind::media) ++p.late;
              if (p.ticks++ == 0) p.first.set_value();
            },
            &port);
        if (i % 2) wrong += port.first.get_future().wait_for(60s) != std::future_status::ready;
        struct End {
          Counted& port;
          std::promise<void>& done;
        } end{port, done};
        loop.detach(
                id, i % 3 ? strand.get() : nullptr,
                [](void* user) {
                  auto& e = *static_cast<End*>(user);
                  e.port.gone = true;
                  e.done.set_value();
                },
                &end)
            .ok();
        wrong += done.get_future().wait_for(60s) != std::future_status::ready;
        wrong += port.late;
      }
    });
  for (auto& thread : threads) thread.join();
  CHECK(wrong == 0);
  CHECK(pool.at(0).attached() + pool.at(1).attached() == 0);
}

TEST_CASE("A tick can post to a strand without allocating") {
  struct Poster {
    Ref<Strand> strand;
    std::atomic<int> ran{0};
    std::atomic<int> posted{0};
    std::promise<void> enough;
  };
  Executor executor({2});
  Poster poster;
  MediaPool pool({1, false});
  poster.strand = Strand::create(executor, "test", "media");
  const AttachId id = pool.at(0).attach(
      [](void* self, uint64_t, int64_t) {
        auto& p = *static_cast<Poster*>(self);
        for (int i = 0; i < 100; ++i)
          p.posted += p.strand->post_bounded([](void* user) { ++static_cast<Poster*>(user)->ran; }, &p) ==
                      patchbay::Code::ok;
        if (p.posted == 300) p.enough.set_value();
      },
      &poster);
  CHECK(poster.enough.get_future().wait_for(60s) == std::future_status::ready);
  std::promise<void> gone;
  CHECK(pool.at(0)
            .detach(
                id, nullptr, [](void* user) { static_cast<std::promise<void>*>(user)->set_value(); }, &gone)
            .ok());
  CHECK(gone.get_future().wait_for(60s) == std::future_status::ready);
  REQUIRE(executor.wait_idle(60s));
  CHECK(poster.ran == poster.posted);
}
