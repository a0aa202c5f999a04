// ExecutorSlot: what one executor thread is doing, for the watchdog.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "runtime/ref.h"
#include "runtime/strand.h"

namespace patchbay::core {

struct ExecutorSlot {
  // [that thread] The task before has ended and another begins. Costs one store.
  void note_progress() noexcept {
    progress.store(progress.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  // [that thread] The strand whose turn begins; null when it ends. The turn holds a reference.
  void enter(Strand* turn) noexcept {
    const std::lock_guard lock(mutex);
    strand = turn;
    note_progress();
  }

  // [watchdog] The strand in its turn, kept alive; null at rest.
  Ref<Strand> running() {
    const std::lock_guard lock(mutex);
    return Ref<Strand>(strand);
  }

  std::mutex mutex;
  Strand* strand = nullptr;  // guarded by mutex
  std::atomic<uint64_t> progress{0};
};

// The slot of this thread; null off the executor.
inline thread_local constinit ExecutorSlot* executor_slot = nullptr;

// For a task that is a batch of callbacks: the next callback begins now.
inline void note_progress() noexcept {
  if (executor_slot) executor_slot->note_progress();
}

}  // namespace patchbay::core
