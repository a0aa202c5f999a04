// Executor: the threads that run the strands. Strands with work wait in one ready list. A thread takes the
// oldest, runs one turn of it (at most 64 tasks) and, if tasks remain, puts it back at the end of the list.
// A strand that a task makes ready waits until that task has returned: then its own thread takes it, or wakes
// another if it has a further task to run first. So a chain of tasks stays on one thread, as waking another
// costs about 10 us, and what a task posts or publishes to one strand is taken together.
// The watchdog gives up on a turn that hangs: a spare thread replaces the blocked one, and until the turn
// returns the strands of its owner get fewer threads, so that one blocking plugin cannot occupy them all.
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

#include "runtime/limits.h"
#include "runtime/owner_load.h"
#include "runtime/push_list.h"
#include "runtime/strand.h"
#include "runtime/watchdog.h"

namespace patchbay::core {

struct ExecutorOptions {
  unsigned threads = 0;               // 0: one per core, at least 2
  int64_t stall_ms = kStrandStallMs;  // a task that runs longer is reported once, and a spare thread starts
  StallFn on_stall = nullptr;         // null: no watchdog
  void* stall_user = nullptr;
  bool watchdog_thread = true;             // false: tests call watchdog()->check() themselves
  Watchdog::SampleFn on_sample = nullptr;  // called by the watchdog at each sample
  void* sample_user = nullptr;
};

class Executor {
 public:
  explicit Executor(const ExecutorOptions& options = {});
  // Runs all queued tasks, waits until the guests have left, then joins the threads. No strand may be posted
  // to afterwards.
  ~Executor();

  // [any but strands] Waits until no strand has tasks queued or running, and no guest is in run_here(). False
  // on timeout.
  bool wait_idle(std::chrono::milliseconds timeout);
  // Reads guests_ first, because a guest leaves only after it has made the strands busy that it gives away.
  bool idle() const noexcept { return guests_.load() == 0 && busy_.load() == 0; }
  // How often an idle strand has become ready so far. If two reads agree, no strand became ready in between.
  uint64_t wakeups() const noexcept { return wakeups_.load(std::memory_order_acquire); }

  // [any but strands and media] Queues a task. If its strand is idle, the calling thread becomes a guest: it
  // runs the strand and then the strands that this makes ready, one after the other, as long as each turn
  // makes one ready, so that a chain of calls needs no other thread. False: the strand has closed. On a
  // strand it only queues the task.
  bool run_here(Strand& strand, Task& task) noexcept;
  // [any] On a guest: queues work that may block for a moment; the guest runs it after the current turn,
  // while it holds no strand. False on other threads: the task is not taken.
  bool run_between_turns(Task& task) noexcept;

  // The configured number of threads, not counting spares.
  unsigned threads() const noexcept { return threads_wanted_; }
  // [any] The number of threads now, counting spares.
  unsigned threads_alive();
  // [any] Each value is exact, but they are not read at the same instant.
  struct Stats {
    int busy;     // strands with tasks queued or running
    int waiting;  // of these, strands waiting for a thread
  };
  Stats stats() const noexcept {
    return {busy_.load(std::memory_order_relaxed), waiting_.load(std::memory_order_relaxed)};
  }
  struct OwnerStats {
    std::string owner;
    int stalled;       // threads blocked in tasks of this owner that were given up on
    uint64_t stalls;   // how many tasks were given up on
    int64_t waiting;   // posted calls that have not run yet
    uint64_t refused;  // posts refused because too many calls were waiting
  };
  std::vector<OwnerStats> owner_stats();
  // [control] Stops stall reports and spare threads.
  void stop_watching() { watchdog_.reset(); }
  // Null if on_stall is null.
  Watchdog* watchdog() noexcept { return watchdog_.get(); }

 private:
  friend class Strand;

  OwnerLoad& load_of(const std::string& owner);
  static void stalled(void* self, const Stall& stall);
  // [watchdog] Also hands over the strands that were made ready by tasks that have not returned yet; for a
  // guest, the one it keeps if it has made no progress since the last sample.
  static void sample(void* self, int64_t now_ns);
  // Under threads_mutex_. Starts a spare thread in place of a blocked one. False if none can be started.
  bool add_spare();
  // [the slot's thread] Records that a turn returned after it was given up on. True: a spare replaced this
  // thread, which must exit; never a guest.
  bool turn_returned(ExecutorSlot& slot, OwnerLoad& load);
  void vacate(ExecutorSlot& slot);
  int max_running(int stalled) const noexcept;
  // Under ready_mutex_. Counts the strand as running, or parks it if its owner has all the threads it may
  // have.
  bool admit(Strand& strand) noexcept;
  // Puts those parked strands back on the ready list that may run now.
  void unpark(OwnerLoad& load) noexcept;
  void schedule(Strand& strand) noexcept;
  void enqueue(Strand& strand) noexcept;
  // Enqueues the strands that the slot's task has made ready. False if there are none.
  bool hand_over(ExecutorSlot& slot) noexcept;
  // Enqueues the strand for an executor thread.
  void give_away(Strand& strand) noexcept;
  // The same for the strand that a guest keeps for its next turn, if there is one.
  void give_next_away(ExecutorSlot& slot) noexcept;
  ExecutorSlot* take_guest_slot() noexcept;
  void run_guest_turn(ExecutorSlot& slot, Strand& strand) noexcept;
  void retire(Strand& strand) noexcept;
  // Takes one back from busy_ or guests_.
  void end_one(std::atomic<int>& count) noexcept;
  void run(ExecutorSlot& slot) noexcept;
  Strand* next() noexcept;
  Strand* pop_ready() noexcept;
  void sleep() noexcept;
  void wake_one() noexcept;

  const ExecutorOptions options_;
  const unsigned threads_wanted_;
  const size_t thread_slots_;  // of slots_; the others are the guests'
  // owned
  std::mutex loads_mutex_;
  std::map<std::string, std::unique_ptr<OwnerLoad>> loads_;
  std::vector<std::unique_ptr<ExecutorSlot>> slots_;  // one per thread, including spares; then the guests'
  std::unique_ptr<Watchdog> watchdog_;
  std::mutex threads_mutex_;          // guards threads_ and the slots' `replaced` and `vacant`
  std::vector<std::thread> threads_;  // by slot
  // state
  PushList<Strand, &Strand::ready_next_> incoming_;
  std::mutex ready_mutex_;  // held by threads that take a strand; pushing never waits for it
  Strand* ready_ = nullptr;
  std::atomic<int> waiting_{0};   // strands in incoming_ and ready_
  std::atomic<int> sleepers_{0};  // sleeping threads that have not been woken yet
  sem_t wake_;
  std::atomic<bool> stopping_{false};
  std::atomic<int> busy_{0};    // strands that are not idle
  std::atomic<int> guests_{0};  // in run_here()
  std::atomic<uint64_t> wakeups_{0};
  std::atomic<int> idle_waiters_{0};
  std::mutex idle_mutex_;
  std::condition_variable idle_;
};

}  // namespace patchbay::core
