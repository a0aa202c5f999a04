// Timers of a media loop, in the order in which they are called.
#include "runtime/timer_heap.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <vector>

#include "runtime/manual_clock.h"
#include "runtime/media_loop.h"

using namespace patchbay::core;
using namespace std::chrono_literals;

namespace {

struct HeapTimer final : LoopTimer {
  std::vector<HeapTimer*>* called = nullptr;
  int64_t set_for = 0;

  void due(uint64_t, int64_t) noexcept override { called->push_back(this); }
  void closed() noexcept override {}
};

struct SetTimers {
  MediaLoop* loop;
  std::deque<HeapTimer>* timers;
  std::minstd_rand* random;
  int64_t now_ns;
  LoopPosts posts;
};

// [loop] Sets a third of the timers anew, and removes a few.
void set_some(void* user) {
  auto& all = *static_cast<SetTimers*>(user);
  for (HeapTimer& timer : *all.timers) {
    const auto what = (*all.random)() % 12;
    if (what < 4) timer.set_for = all.now_ns + int64_t(1 + (*all.random)() % 50) * 1'000'000;
    if (what == 4) timer.set_for = 0;
    if (what <= 4) CHECK(all.loop->set_timer(timer, timer.set_for) == patchbay::Code::ok);
  }
}

}  // namespace

TEST_CASE(
    "timers that are set, set anew and removed at random are called once each, in the order of their times") {
  ManualClock clock;
  MediaLoop loop(clock);
  std::vector<HeapTimer*> called;
  std::deque<HeapTimer> timers(200);
  for (HeapTimer& timer : timers) timer.called = &called;
  std::minstd_rand random(7);
  SetTimers set{&loop, &timers, &random, 0, {}};
  for (int round = 0; round < 300; ++round) {
    set.now_ns = clock.now_ns();
    loop.post(*make_loop_post(set_some, &set, set.posts));
    loop.run_due();
    clock.advance(std::chrono::milliseconds(1 + random() % 20));
    called.clear();
    loop.run_due();
    size_t expected = 0;
    for (const HeapTimer& timer : timers) expected += timer.set_for != 0 && timer.set_for <= clock.now_ns();
    CHECK(called.size() == expected);
    CHECK(std::is_sorted(called.begin(), called.end(),
                         [](const HeapTimer* a, const HeapTimer* b) { return a->set_for < b->set_for; }));
    for (HeapTimer* timer : called) {
      CHECK(timer->set_for <= clock.now_ns());
      timer->set_for = 0;
    }
  }
}
