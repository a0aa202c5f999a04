#include "runtime/timer_queue.h"

#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <vector>

#include "runtime/manual_clock.h"
#include "runtime/runtime.h"

using namespace patchbay::core;
using namespace std::chrono_literals;

namespace {

struct Fixture {
  ManualClock clock{1'000'000};
  TimerQueue timers;
  Executor executor{{2}};
  Ref<Strand> strand = Strand::create(executor, "test", "timers");
  std::string seen;

  Fixture() { clock.drive(&timers); }

  struct Mark {
    Fixture& fixture;
    char letter;
  };
  std::vector<std::unique_ptr<Mark>> marks;

  TimerId arm(TimerClock on, int64_t due, char letter) {
    marks.push_back(std::make_unique<Mark>(Mark{*this, letter}));
    return timers.arm(
        on, due, *strand,
        [](void* user) {
          auto& mark = *static_cast<Mark*>(user);
          mark.fixture.seen += mark.letter;
        },
        marks.back().get());
  }
  TimerId in_ms(int64_t ms, char letter) {
    return arm(TimerClock::mono, clock.now_ns() + ms * 1'000'000, letter);
  }
  std::string after(std::chrono::milliseconds by) {
    CHECK(clock.advance(by, executor));
    return seen;
  }
};

}  // namespace

TEST_CASE("Timers fire in the order of their due times, then of arming") {
  Fixture f;
  f.in_ms(30, 'c');
  f.in_ms(10, 'a');
  f.in_ms(20, 'b');
  f.in_ms(30, 'd');
  CHECK(f.after(9ms).empty());
  CHECK(f.after(1ms) == "a");
  CHECK(f.after(100ms) == "abcd");
  CHECK(f.timers.size() == 0);
}

TEST_CASE("A timer armed by a timer fires within the same advance") {
  Fixture f;
  f.timers.arm(
      TimerClock::mono, f.clock.now_ns() + 1'000'000, *f.strand,
      [](void* user) { static_cast<Fixture*>(user)->in_ms(5, 'x'); }, &f);
  CHECK(f.after(6ms) == "x");
}

TEST_CASE("A timer armed for a time already past fires without another move of the clock") {
  Fixture f;
  f.clock.advance(20ms);
  f.in_ms(-10, 'a');
  f.arm(TimerClock::wall, f.clock.now_ms() - 5, 'b');
  f.in_ms(1, 'c');
  REQUIRE(f.executor.wait_idle(60s));
  CHECK(f.seen == "ab");
}

TEST_CASE("Wall and monotonic timers merge while both clocks run together") {
  Fixture f;
  f.arm(TimerClock::wall, f.clock.now_ms() + 15, 'w');
  f.in_ms(10, 'a');
  f.in_ms(20, 'b');
  CHECK(f.after(30ms) == "awb");
}

TEST_CASE("A jump of the wall clock fires only wall timers") {
  Fixture f;
  f.arm(TimerClock::wall, f.clock.now_ms() + 3'600'000, 'w');
  f.in_ms(10, 'm');
  f.clock.set_wall(f.clock.now_ms() + 3'600'000);
  REQUIRE(f.executor.wait_idle(60s));
  CHECK(f.seen == "w");
  SUBCASE("and a jump back delays later ones") {
    f.arm(TimerClock::wall, f.clock.now_ms() + 5, 'x');
    f.clock.set_wall(1'000'000);
    CHECK(f.after(20ms) == "wm");
  }
}

TEST_CASE("A timer that fired but has not run yet can still be cancelled") {
  Fixture f;
  bool done = false;
  f.strand->post([&] {
    const TimerId id = f.in_ms(1, 'x');
    f.clock.advance(1ms);
    CHECK(f.timers
              .cancel(
                  id, [](void* user) { *static_cast<bool*>(user) = true; }, &done)
              .ok());
  });
  REQUIRE(f.executor.wait_idle(60s));
  CHECK(f.seen.empty());
  CHECK(done);
}

TEST_CASE("Cancelling a timer that has run returns not_found") {
  Fixture f;
  const TimerId id = f.in_ms(1, 'x');
  CHECK(f.after(1ms) == "x");
  CHECK(f.timers.cancel(id).error().code == patchbay::Code::not_found);
}

TEST_CASE("A timer on a closed strand is released") {
  Fixture f;
  f.in_ms(1, 'x');
  f.strand->close(nullptr, nullptr);
  REQUIRE(f.executor.wait_idle(60s));
  CHECK(f.after(1ms).empty());
  CHECK(f.timers.size() == 0);
}
