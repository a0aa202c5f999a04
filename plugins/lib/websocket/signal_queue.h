// SignalQueue: hands signals from any thread to one consumer, which is woken once for all that are queued.
// Pushing takes no lock and allocates nothing, so a media loop may do it.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

namespace patchbay::lib {

class SignalQueue {
 public:
  class Signal {
   public:
    virtual ~Signal() = default;

   private:
    friend class SignalQueue;
    virtual void run() = 0;  // [consumer]

    std::atomic<bool> queued_{false};
    // The next two belong to the thread that has set queued_, then to the consumer until it clears queued_.
    Signal* next_ = nullptr;
    std::shared_ptr<Signal> self_;  // keeps a queued signal alive
  };

  SignalQueue() = default;
  SignalQueue(const SignalQueue&) = delete;
  SignalQueue& operator=(const SignalQueue&) = delete;
  // Drops what is queued.
  ~SignalQueue() {
    for (Signal* signal = take(); signal != nullptr;) {
      const std::shared_ptr<Signal> dropped = std::move(signal->self_);
      signal = signal->next_;
    }
  }

  // [any, lock-free] Queues the signal unless it is queued already. Returns whether the consumer sleeps, so
  // that the caller must wake it.
  bool push(const std::shared_ptr<Signal>& signal) noexcept {
    // Read-modify-write here and below, never a plain store: so the callback sees what any caller of push()
    // wrote before, also one whose signal was queued already.
    if (signal->queued_.exchange(true, std::memory_order_acq_rel)) return false;
    signal->self_ = signal;
    Signal* top = top_.load(std::memory_order_relaxed);
    do signal->next_ = top;
    while (
        !top_.compare_exchange_weak(top, signal.get(), std::memory_order_release, std::memory_order_relaxed));
    return set_awake();
  }

  // [consumer] Runs what is queued, in the order of push(); ignores exceptions. Returns whether there was
  // anything.
  bool run_queued() noexcept {
    Signal* signal = take();
    const bool any = signal != nullptr;
    while (signal != nullptr) {
      const std::shared_ptr<Signal> running = std::move(signal->self_);
      signal = signal->next_;
      // Before run(), because a later push() must lead to another run().
      running->queued_.exchange(false, std::memory_order_acq_rel);
      try {
        running->run();
      } catch (...) {
        // Out of memory: this run is lost, the other signals are not.
      }
    }
    return any;
  }

  // [consumer] Call it before sleeping. Returns false if something is queued: then run_queued() comes first.
  bool try_sleep() noexcept {
    awake_.exchange(false, std::memory_order_acq_rel);
    if (top_.load(std::memory_order_acquire) == nullptr) return true;
    set_awake();
    return false;
  }
  // [any] From now on push() need not wake the consumer. Returns whether it was asleep: then the caller wakes
  // it, unless it is the consumer.
  bool set_awake() noexcept { return !awake_.exchange(true, std::memory_order_acq_rel); }

 private:
  // Returns the queued signals, the oldest first.
  Signal* take() noexcept {
    Signal* newest = top_.exchange(nullptr, std::memory_order_acquire);
    Signal* oldest = nullptr;
    while (newest != nullptr) {
      Signal* const before = std::exchange(newest->next_, oldest);
      oldest = std::exchange(newest, before);
    }
    return oldest;
  }

  std::atomic<Signal*> top_{nullptr};  // the newest
  std::atomic<bool> awake_{true};
};

}  // namespace patchbay::lib
