// ManualClock: both clocks for tests, moved by the test. One thread moves it, any thread may read it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>

#include "runtime/clock.h"
#include "runtime/executor.h"
#include "runtime/timer_queue.h"

namespace patchbay::core {

class ManualClock final : public MonoClock, public WallClock {
 public:
  explicit ManualClock(int64_t wall_ms = 1'700'000'000'000, int64_t mono_ns = 1'000'000'000);

  int64_t now_ns() const noexcept override { return mono_ns_.load(std::memory_order_acquire); }
  int64_t now_ms() const noexcept override { return wall_ns_.load(std::memory_order_acquire) / 1'000'000; }

  // Sets the queue whose timers this clock fires. It must outlive the clock or be reset to null. From then on
  // a timer that is armed for a time already past fires at once, as by the real clocks.
  void drive(TimerQueue* queue) noexcept;

  // Moves both clocks forward and stops at each due time, in order. Returns once the due timers have been
  // posted.
  void advance(std::chrono::nanoseconds by);

  // The same, but waits at each stop until the strands are idle, so that a timer armed by a callback fires
  // too if it falls due on the way. False if the strands are not idle within the limit.
  bool advance(std::chrono::nanoseconds by, Executor& executor,
               std::chrono::milliseconds limit = std::chrono::seconds(60));

  // Sets the wall clock only, as an operator or NTP would, and fires the timers that are due by then.
  void set_wall(int64_t wall_ms);

 private:
  bool step(int64_t target_ns);
  void move_to(int64_t mono_ns);
  void fire_due();

  // borrowed
  std::atomic<TimerQueue*> queue_{nullptr};
  // state
  std::mutex firing_;  // so that due timers are posted in their order by whichever thread comes first
  std::atomic<int64_t> mono_ns_;
  std::atomic<int64_t> wall_ns_;
};

}  // namespace patchbay::core
