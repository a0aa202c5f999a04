// Executor: the threads under the strands. A strand with work waits on one list of ready strands; each thread
// takes the oldest, runs one turn of it (64 tasks at most) and puts it back behind the others if more is
// left.
#pragma once

#include <semaphore.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "runtime/push_list.h"
#include "runtime/strand.h"
#include "runtime/watchdog.h"

namespace patchbay::core {

struct ExecutorOptions {
  unsigned threads = 0;        // 0: one per core, at least 2
  int64_t watchdog_ms = 5000;  // a task that runs longer is reported once, and another thread takes over
  StallFn on_stall = nullptr;  // null: no watchdog
  void* stall_user = nullptr;
  bool watchdog_thread = true;  // false: tests sample by hand through watchdog()
};

class Executor {
 public:
  explicit Executor(const ExecutorOptions& options = {});
  // Runs what is queued, then joins the threads. No strand may be posted to afterwards.
  ~Executor();

  // Waits until no strand has anything queued or running. False after the timeout. [any but strands]
  bool wait_idle(std::chrono::milliseconds timeout);
  bool idle() const noexcept { return busy_.load(std::memory_order_acquire) == 0; }
  // How often a resting strand was woken so far: unchanged between two looks means nothing happened between
  // them.
  uint64_t wakeups() const noexcept { return wakeups_.load(std::memory_order_acquire); }

  // As many as were asked for; those that stand in for stalled ones do not count.
  unsigned threads() const noexcept { return threads_wanted_; }
  // No stall is told, and no spare thread begun, any more. [control]
  void stop_watching() { watchdog_.reset(); }
  // Null without on_stall.
  Watchdog* watchdog() noexcept { return watchdog_.get(); }

 private:
  friend class Strand;
  static constexpr unsigned kMostSpares = 16;

  static void stalled(void* self, const StallReport& report);
  // [watchdog] A thread in the place of one whose task does not come back.
  void add_spare();
  void schedule(Strand& strand) noexcept;
  void enqueue(Strand& strand) noexcept;
  void retire(Strand& strand) noexcept;
  void run(ExecutorSlot& slot) noexcept;
  Strand* next() noexcept;
  Strand* pop_ready() noexcept;
  void sleep() noexcept;
  void wake_one() noexcept;

  const ExecutorOptions options_;
  const unsigned threads_wanted_;
  // owned
  std::vector<std::unique_ptr<ExecutorSlot>> slots_;  // of the spares, too
  std::unique_ptr<Watchdog> watchdog_;
  std::vector<std::thread> threads_;
  // state
  PushList<Strand, &Strand::ready_next_> incoming_;
  std::mutex ready_mutex_;  // among the threads that take; who pushes never waits for it
  Strand* ready_ = nullptr;
  std::atomic<int> waiting_{0};   // strands on the two lists
  std::atomic<int> sleepers_{0};  // threads that sleep and have not been called yet
  sem_t wake_;
  std::atomic<bool> stopping_{false};
  std::atomic<int> busy_{0};  // strands not at rest
  std::atomic<uint64_t> wakeups_{0};
  std::atomic<int> idle_waiters_{0};
  std::mutex idle_mutex_;
  std::condition_variable idle_;
};

}  // namespace patchbay::core
