// SpinLock: for sections of a few instructions that call no other code. Yields while a preempted thread holds
// it.
#pragma once

#include <sched.h>

#include <atomic>

#include "runtime/cpu_hints.h"

namespace patchbay::core {

class SpinLock {
 public:
  void lock() noexcept {
    if (held_.exchange(true, std::memory_order_acquire)) wait();
  }
  void unlock() noexcept { held_.store(false, std::memory_order_release); }

 private:
  [[gnu::noinline]] void wait() noexcept {
    int spins = 0;
    do {
      while (held_.load(std::memory_order_relaxed)) {
        if (++spins < 64)
          spin_pause();
        else
          sched_yield();
      }
    } while (held_.exchange(true, std::memory_order_acquire));
  }

  std::atomic<bool> held_{false};
};

}  // namespace patchbay::core
