// SpinLock: for sections of a few instructions that call no other code. Yields while a preempted thread holds
// it.
#pragma once

#include <sched.h>

#include <atomic>

namespace patchbay::core {

class SpinLock {
 public:
  void lock() noexcept {
    for (int spins = 0; held_.exchange(true, std::memory_order_acquire); ++spins)
      while (held_.load(std::memory_order_relaxed))
        if (++spins > 64) sched_yield();
  }
  void unlock() noexcept { held_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> held_{false};
};

}  // namespace patchbay::core
