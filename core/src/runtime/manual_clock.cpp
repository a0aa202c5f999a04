#include "runtime/manual_clock.h"

#include <algorithm>

namespace patchbay::core {

ManualClock::ManualClock(int64_t wall_ms, int64_t mono_ns)
    : mono_ns_(mono_ns), wall_ns_(wall_ms * 1'000'000) {}

void ManualClock::drive(TimerQueue* queue) noexcept {
  const std::lock_guard lock(firing_);
  if (queue) queue->on_earlier([](void* self) { static_cast<ManualClock*>(self)->fire_due(); }, this);
  queue_.store(queue, std::memory_order_release);
}

void ManualClock::advance(std::chrono::nanoseconds by) {
  const int64_t target = now_ns() + by.count();
  while (step(target)) {
  }
}

bool ManualClock::advance(std::chrono::nanoseconds by, Executor& executor, std::chrono::milliseconds limit) {
  const int64_t target = now_ns() + by.count();
  if (!executor.wait_idle(limit)) return false;
  while (step(target))
    if (!executor.wait_idle(limit)) return false;
  return true;
}

void ManualClock::set_wall(int64_t wall_ms) {
  wall_ns_.store(wall_ms * 1'000'000, std::memory_order_release);
  fire_due();
}

// Moves to the next due time, at most to the target. False once the target is reached with nothing due.
bool ManualClock::step(int64_t target_ns) {
  int64_t stop = target_ns;
  bool due = false;
  if (TimerQueue* queue = queue_) {
    if (const auto mono = queue->next_due(TimerClock::mono); mono && *mono <= stop) {
      stop = *mono;
      due = true;
    }
    if (const auto wall = queue->next_due(TimerClock::wall)) {
      const int64_t wall_ns = std::clamp<int64_t>(*wall, 0, INT64_MAX / 2'000'000) * 1'000'000;
      const int64_t at = now_ns() + (wall_ns - wall_ns_.load(std::memory_order_relaxed));
      if (at <= stop) {
        stop = at;
        due = true;
      }
    }
  }
  move_to(std::max(stop, now_ns()));
  fire_due();
  return due;
}

void ManualClock::move_to(int64_t mono_ns) {
  wall_ns_.fetch_add(mono_ns - now_ns(), std::memory_order_acq_rel);
  mono_ns_.store(mono_ns, std::memory_order_release);
}

void ManualClock::fire_due() {
  const std::lock_guard lock(firing_);
  TimerQueue* const queue = queue_;
  if (!queue) return;
  queue->fire_due(TimerClock::mono, now_ns());
  queue->fire_due(TimerClock::wall, now_ms());
}

}  // namespace patchbay::core
