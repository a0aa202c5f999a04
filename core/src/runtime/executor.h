// Executor: the threads under the strands. A strand with work waits on one list of ready strands; each thread
// takes the oldest, runs one turn of it (64 tasks at most) and puts it back behind the others if more is
// left. A turn that does not come back is given up on: another thread stands in, and its owner may have fewer
// threads until it does, so that one plugin that blocks does not take them all.
#pragma once

#include <semaphore.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "runtime/owner_load.h"
#include "runtime/push_list.h"
#include "runtime/strand.h"
#include "runtime/watchdog.h"

namespace patchbay::core {

struct ExecutorOptions {
  unsigned threads = 0;        // 0: one per core, at least 2
  int64_t watchdog_ms = 5000;  // a task that runs longer is reported once, and another thread takes over
  StallFn on_stall = nullptr;  // null: no watchdog
  void* stall_user = nullptr;
  bool watchdog_thread = true;             // false: tests sample by hand through watchdog()
  Watchdog::SampleFn on_sample = nullptr;  // called by the watchdog with each of its samples
  void* sample_user = nullptr;
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
  // [any] With those that stand in.
  unsigned threads_alive();
  // [any] Figures, each true though not all of the same instant.
  struct Stats {
    int busy;     // strands that have something queued or running
    int waiting;  // of these, strands that wait for a thread
  };
  Stats stats() const noexcept {
    return {busy_.load(std::memory_order_relaxed), waiting_.load(std::memory_order_relaxed)};
  }
  struct OwnerStats {
    std::string owner;
    int stalled;       // threads that its tasks hold and that were given up on
    uint64_t stalls;   // how often that happened
    int64_t waiting;   // calls that it has posted and that have not run yet
    uint64_t refused;  // calls that it could not post, as too many wait
  };
  std::vector<OwnerStats> owner_stats();
  // No stall is told, and no spare thread begun, any more. [control]
  void stop_watching() { watchdog_.reset(); }
  // Null without on_stall.
  Watchdog* watchdog() noexcept { return watchdog_.get(); }

 private:
  friend class Strand;
  static constexpr unsigned kMaxSpares = 32;
  static constexpr int kMaxGivenUp = 8;  // of one owner: then none of its strands runs until one comes back

  OwnerLoad& load_of(const std::string& owner);
  static void stalled(void* self, const Stall& stall);
  // Under threads_mutex_: a thread in the place of one whose task does not come back.
  bool add_spare();
  // [that thread] Its turn came back after it had been given up on. True: the thread is one too many.
  bool turn_returned(ExecutorSlot& slot, OwnerLoad& load);
  void vacate(ExecutorSlot& slot);
  int max_running(int stalled) const noexcept;
  // Under ready_mutex_: counts the strand's turn, or parks it when its owner has enough threads.
  bool admit(Strand& strand) noexcept;
  // Those that may run now wait for a thread again.
  void unpark(OwnerLoad& load) noexcept;
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
  std::mutex loads_mutex_;
  std::map<std::string, std::unique_ptr<OwnerLoad>> loads_;
  std::vector<std::unique_ptr<ExecutorSlot>> slots_;  // of the spares, too
  std::unique_ptr<Watchdog> watchdog_;
  std::mutex threads_mutex_;          // beside the watchdog's: slots' replaced and vacant, and threads_
  std::vector<std::thread> threads_;  // by slot
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
