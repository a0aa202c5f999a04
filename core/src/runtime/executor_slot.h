// ExecutorSlot: what one thread, an executor thread or a guest, is running for its executor, published for
// the watchdog.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <utility>

#include "runtime/push_list.h"
#include "runtime/ref.h"
#include "runtime/spin_lock.h"
#include "runtime/strand.h"

namespace patchbay::core {

class Executor;
struct Task;

// On cache lines that no other thread writes.
struct alignas(64) ExecutorSlot {
  // [its thread] Marks the start of the next task. Costs one store.
  void note_progress() noexcept {
    progress.store(progress.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  // [its thread] Begins a turn of the strand. The caller holds a reference to it until leave().
  void enter(Strand& turn) noexcept {
    const std::lock_guard guard(lock);
    strand = &turn;
    note_progress();
  }
  // [its thread] Ends the turn. True: the watchdog had given up on it.
  bool leave() noexcept {
    const std::lock_guard guard(lock);
    strand = nullptr;
    note_progress();
    return std::exchange(given_up, false);
  }
  // [watchdog] Gives up on the task that began at progress `at`. False: the task has ended, or its turn was
  // given up on before.
  bool give_up(uint64_t at) noexcept {
    const std::lock_guard guard(lock);
    if (!strand || progress.load(std::memory_order_relaxed) != at) return false;
    return !std::exchange(given_up, true);
  }

  // [watchdog] A reference to the strand that is running; null when idle.
  Ref<Strand> running() {
    const std::lock_guard guard(lock);
    return Ref<Strand>(strand);
  }

  SpinLock lock;
  Strand* strand = nullptr;  // guarded by lock
  bool given_up = false;     // guarded by lock
  // Guarded by the executor's threads_mutex_:
  bool replaced = false;  // a spare thread was started in its place
  bool vacant = false;    // its thread has exited or is about to
  std::atomic<uint64_t> progress{0};
  PushList<Strand, &Strand::ready_next_> made_ready;  // strands, by the task that is running
  // Of guests (Executor::run_here); null: an executor thread.
  Executor* host = nullptr;
  std::atomic<bool> taken{false};
  std::atomic<Strand*> next{nullptr};  // became ready during the turn; this thread runs it afterwards
  uint64_t sampled_progress = 0;       // at the watchdog's last sample; used only by the watchdog
  Task* between_turns = nullptr;       // blocking work for after the turn, oldest first
};

// The slot of this thread; null if it is neither an executor thread nor a guest.
inline thread_local constinit ExecutorSlot* executor_slot = nullptr;

// Call before each callback of a task that runs several, so that the watchdog times them one by one.
inline void note_progress() noexcept {
  if (executor_slot) executor_slot->note_progress();
}

}  // namespace patchbay::core
