#include "runtime/registration.h"

namespace patchbay::core {

Registration::Registration(Ref<Strand> strand)
    : strand_(std::move(strand)),
      fence_(*this, [](Task& task) noexcept { static_cast<Hop&>(task).self.leave(); }),
      last_(*this, [](Task& task) noexcept { static_cast<Hop&>(task).self.complete(); }) {}

bool Registration::enter() noexcept {
  uint64_t state = state_.load(std::memory_order_relaxed);
  do {
    if (state & kClosed) return false;
  } while (
      !state_.compare_exchange_weak(state, state + 1, std::memory_order_acquire, std::memory_order_relaxed));
  return true;
}

void Registration::leave() noexcept {
  if (state_.fetch_sub(1, std::memory_order_acq_rel) == (kClosed | 1)) hop(last_);
}

void Registration::close(CallFn done, void* user) {
  const Ref<Registration> hold(this);
  if (done) {
    Task& waiter = make_call(done, user);
    if (!done_.add(waiter) && !strand_->push(waiter)) waiter.run(waiter);
  }
  uint64_t state = state_.load(std::memory_order_relaxed);
  do {
    if (state & kClosed) return;
    // The fence counts as a callback inside until the strand has run it.
  } while (!state_.compare_exchange_weak(state, (state | kClosed) + 1, std::memory_order_acq_rel,
                                         std::memory_order_relaxed));
  add_ref();  // released by complete()
  hop(fence_);
}

void Registration::hop(Hop& to) noexcept {
  if (!strand_->push(to)) to.run(to);
}

void Registration::complete() noexcept {
  done_.complete();
  release();
}

}  // namespace patchbay::core
