// TimerQueue: one-shot timers on either clock, delivered on a strand. It has no thread: a TimerThread (real
// time) or a ManualClock (tests) calls fire_due().
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

#include "patchbay/result.h"
#include "runtime/registration.h"

namespace patchbay::core {

using TimerId = uint64_t;  // never 0, never used twice

// mono: nanoseconds of MonoClock. wall: milliseconds of WallClock; when that clock is set, its timers follow.
enum class TimerClock { mono, wall };

class TimerQueue {
 public:
  TimerQueue();
  TimerQueue(const TimerQueue&) = delete;
  TimerQueue& operator=(const TimerQueue&) = delete;
  ~TimerQueue();

  // [any] Calls fn(user) once on `strand` when `clock` reaches `due`, or at once if that is past. Timers of
  // one clock fire in the order of their due times, then of their arming.
  TimerId arm(TimerClock clock, int64_t due, Strand& strand, CallFn fn, void* user);

  // [any] Cancels with the guarantees of Registration::close(). not_found: the timer has run or never
  // existed, and `done` is not called.
  Status cancel(TimerId id, CallFn done = nullptr, void* user = nullptr);

  // [driver] Posts all timers due at `now`, in order.
  void fire_due(TimerClock clock, int64_t now);
  // [any] The earliest due time of that clock.
  std::optional<int64_t> next_due(TimerClock clock);
  // [driver] Sets a callback that is called, with no lock held, when arm() has added the earliest timer of
  // its clock. Set before first use.
  void on_earlier(CallFn fn, void* user);

  // [any] Timers that are armed, or that have fired and not yet run.
  size_t size();

 private:
  class Timer;
  using Key = std::pair<int64_t, TimerId>;
  using Pending = std::map<Key, Timer*>;

  Pending& pending(TimerClock clock) { return clock == TimerClock::mono ? mono_ : wall_; }
  void forget(TimerId id);

  // borrowed
  CallFn earlier_ = nullptr;
  void* earlier_user_ = nullptr;
  // owned
  std::unordered_map<TimerId, Ref<Timer>> timers_;
  // state
  std::mutex mutex_;
  Pending mono_;
  Pending wall_;
  TimerId last_id_ = 0;
};

}  // namespace patchbay::core
