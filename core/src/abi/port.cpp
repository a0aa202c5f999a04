#include "abi/port.h"

namespace patchbay::core {

bool Port::join() noexcept {
  uint32_t users = users_.load(std::memory_order_acquire);
  do {
    if ((users & kClosed) != 0) return false;
  } while (!users_.compare_exchange_weak(users, users + 1, std::memory_order_acq_rel));
  return true;
}

void Port::leave() noexcept {
  if (users_.fetch_sub(1, std::memory_order_acq_rel) == (kClosed | 1)) finish();
}

void Port::close(CallFn done, void* user) noexcept {
  done_ = done;
  user_ = user;
  if (users_.fetch_or(kClosed, std::memory_order_acq_rel) == 0) finish();
}

void Port::finish() noexcept {
  if (done_ == nullptr) return;
  // A closed strand runs nothing any more: then neither does anything else of its plugin.
  if (!owner_->post(done_, user_)) done_(user_);
}

}  // namespace patchbay::core
