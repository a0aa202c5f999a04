// RegistrationTimer: a one-shot timer that a Registration owns, delivered on its strand. While it is armed it
// holds a reference to the registration.
#pragma once

#include <utility>

#include "runtime/registration.h"
#include "runtime/timer_queue.h"

namespace patchbay::core {

// Must be a member of the registration. Used only on its strand.
class RegistrationTimer {
 public:
  // Borrows both. Calls fn(&owner) on the owner's strand, even if the owner has been closed meanwhile.
  RegistrationTimer(TimerQueue& timers, Registration& owner, CallFn fn)
      : timers_(timers), owner_(owner), fn_(fn) {}

  // Arms the timer; replaces an earlier due time.
  void set(TimerClock clock, int64_t due) {
    cancel();
    owner_.add_ref();  // held by the armed timer
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
