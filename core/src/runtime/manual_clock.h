// ManualClock: both clocks for tests, moved by hand. Single driver; now_*() may be read from any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "runtime/clock.h"
#include "runtime/executor.h"
#include "runtime/timer_queue.h"

namespace patchbay::core {

class ManualClock final : public MonoClock, public WallClock {
 public:
  explicit ManualClock(int64_t wall_ms = 1'700'000'000'000, int64_t mono_ns = 1'000'000'000);

  int64_t now_ns() const noexcept override { return mono_ns_.load(std::memory_order_acquire); }
  int64_t now_ms() const noexcept override { return wall_ns_.load(std::memory_order_acquire) / 1'000'000; }

  // The queue whose timers these clocks fire. Must outlive the clock or be replaced by null.
  void drive(TimerQueue* queue) noexcept { queue_ = queue; }

  // Moves both clocks, stopping at each due time on the way, in order. Returns when the due timers have been
  // posted.
  void advance(std::chrono::nanoseconds by);

  // The same, and after each stop waits until the strands rest, so that a timer armed by a callback fires too
  // if it falls due on the way. False when they do not rest within the limit.
  bool advance(std::chrono::nanoseconds by, Executor& executor,
               std::chrono::milliseconds limit = std::chrono::seconds(10));

  // Sets the wall clock alone, as an operator or NTP would, and fires what is due by it.
  void set_wall(int64_t wall_ms);

 private:
  bool step(int64_t target_ns);
  void move_to(int64_t mono_ns);

  // borrowed
  TimerQueue* queue_ = nullptr;
  // state
  std::atomic<int64_t> mono_ns_;
  std::atomic<int64_t> wall_ns_;
};

}  // namespace patchbay::core
