// SpinLock: for sections of a few instructions that call no other code. Yields while a preempted thread holds
// it. Spins without the processor's pause, which takes longer than these sections.
#pragma once

#include <sched.h>

#include <atomic>

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
      while (held_.load(std::memory_order_relaxed))
        if (++spins > 64) sched_yield();
    } while (held_.exchange(true, std::memory_order_acquire));
  }

  std::atomic<bool> held_{false};
};

}  // namespace patchbay::core
