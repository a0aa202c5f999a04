// SessionThreads: chooses the io thread of each new session, and detects threads that are stuck in a task.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/limits.h"
#include "websocket/io_threads.h"

namespace patchbay::lib {

// How long a thread may be stuck in a task; shorter only in tests.
struct StallLimits {
  int64_t poll_ms = kThreadPollMs;
  int64_t stall_ms = kThreadStallMs;
  int64_t give_up_ms = kThreadGiveUpMs;
  int64_t stop_ms = kThreadStopMs;
};

// Main strand only.
class SessionThreads {
 public:
  SessionThreads(IoThreads& io, StallLimits limits);

  // Returns the index of the thread for a new session: the one with the fewest sessions of those that
  // respond. Starts another thread if each carries kSessionsPerThread or is stuck. nullopt: all threads are
  // stuck.
  std::optional<size_t> choose();
  void opened(size_t thread) { ++threads_[thread].sessions; }
  void closed(size_t thread) { --threads_[thread].sessions; }

  struct Stall {
    size_t thread = 0;
    bool stuck = false;  // false: it responds again
    int64_t ms = 0;
    size_t sessions = 0;
  };
  struct Check {
    int64_t lag_ms = 0;            // the longest time that a task waits for a thread
    std::vector<Stall> changes;    // since the last check
    std::vector<size_t> given_up;  // threads whose sessions must fail, at each check
  };
  // Call it regularly.
  Check check();

 private:
  struct Thread {
    IoWatch watch;
    size_t sessions = 0;
    int64_t stalled_ms = 0;  // how long it has been stuck; 0: it responds
    bool reported = false;
  };
  bool add_thread();

  IoThreads& io_;  // borrowed
  const StallLimits limits_;
  std::vector<Thread> threads_;
};

}  // namespace patchbay::lib
