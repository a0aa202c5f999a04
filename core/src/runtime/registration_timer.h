// RegistrationTimer: one timer of a registration, on its strand. It keeps the registration alive until it has
// fired or was cancelled.
#pragma once

#include <utility>

#include "runtime/registration.h"
#include "runtime/timer_queue.h"

namespace patchbay::core {

// A member of the registration; used on its strand only.
class RegistrationTimer {
 public:
  // Borrows both; fn(&owner) runs on the owner's strand, also after the owner was closed.
  RegistrationTimer(TimerQueue& timers, Registration& owner, CallFn fn)
      : timers_(timers), owner_(owner), fn_(fn) {}

  // Replaces what was set before.
  void set(TimerClock clock, int64_t due) {
    cancel();
    owner_.add_ref();  // the timer's
    id_ = timers_.arm(clock, due, owner_.strand(), &RegistrationTimer::fire, this);
  }
  bool is_set() const noexcept { return id_ != 0; }
  void cancel() {
    if (id_ == 0) return;
    static_cast<void>(timers_.cancel(
        std::exchange(id_, 0), [](void* owner) { static_cast<Registration*>(owner)->release(); }, &owner_));
  }

 private:
  static void fire(void* raw) {
    auto& self = *static_cast<RegistrationTimer*>(raw);
    const auto owner = Ref<Registration>::adopt(&self.owner_);
    self.id_ = 0;
    self.fn_(owner.get());
  }

  TimerQueue& timers_;
  Registration& owner_;
  const CallFn fn_;
  TimerId id_ = 0;
};

}  // namespace patchbay::core
