// ExecutorSlot: what one executor thread is doing, for the watchdog.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <utility>

#include "runtime/ref.h"
#include "runtime/strand.h"

namespace patchbay::core {

struct ExecutorSlot {
  // [that thread] The task before has ended and another begins. Costs one store.
  void note_progress() noexcept {
    progress.store(progress.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  // [that thread] The strand whose turn begins, which holds a reference.
  void enter(Strand& turn) noexcept {
    const std::lock_guard lock(mutex);
    strand = &turn;
    note_progress();
  }
  // [that thread] The turn has ended. True: it had been given up on.
  bool leave() noexcept {
    const std::lock_guard lock(mutex);
    strand = nullptr;
    note_progress();
    return std::exchange(given_up, false);
  }
  // [watchdog] The task that began at `at` is not waited for any more. False: it has ended, or its turn was
  // given up on before.
  bool give_up(uint64_t at) noexcept {
    const std::lock_guard lock(mutex);
    if (!strand || progress.load(std::memory_order_relaxed) != at) return false;
    return !std::exchange(given_up, true);
  }

  // [watchdog] The strand in its turn, kept alive; null at rest.
  Ref<Strand> running() {
    const std::lock_guard lock(mutex);
    return Ref<Strand>(strand);
  }

  std::mutex mutex;
  Strand* strand = nullptr;  // guarded by mutex
  bool given_up = false;     // guarded by mutex
  // Guarded by the executor's threads_mutex_:
  bool replaced = false;  // another thread was begun in the place of this one
  bool vacant = false;    // its thread has left
  std::atomic<uint64_t> progress{0};
};

// The slot of this thread; null off the executor.
inline thread_local constinit ExecutorSlot* executor_slot = nullptr;

// For a task that is a batch of callbacks: the next callback begins now.
inline void note_progress() noexcept {
  if (executor_slot) executor_slot->note_progress();
}

}  // namespace patchbay::core
