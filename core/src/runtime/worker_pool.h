// WorkerPool: threads that may block (DNS, SMTP, files). They start when work comes, up to a limit; those
// above the resting number leave after 30 s without work.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "patchbay/result.h"
#include "runtime/task.h"

namespace patchbay::core {

struct WorkerOptions {
  unsigned min_threads = 4;   // threads kept once started
  unsigned max_threads = 16;  // threads at once
  size_t max_waiting = 1024;  // jobs that wait
};

class WorkerPool {
 public:
  explicit WorkerPool(const WorkerOptions& options = {});
  ~WorkerPool();

  // Refuses new jobs, runs what is queued, then joins.
  void stop();

  // [any, not media] Runs fn(user) on a worker thread for `owner`, in no promised order. exhausted when the
  // queue is full, gone once stopping: then fn is not called.
  Status submit(std::string owner, CallFn fn, void* user);

  // Waits until nothing is queued or running. False after the timeout.
  bool wait_idle(std::chrono::milliseconds timeout);
  bool idle();
  struct Stats {
    size_t waiting;
    unsigned running;
    unsigned threads;
  };
  Stats stats();

 private:
  struct Job {
    std::string owner;
    CallFn fn;
    void* user;
  };

  void run();
  void reap_locked(std::vector<std::thread>& gone);

  // owned
  std::vector<std::thread> threads_;
  std::vector<std::thread::id> exited_;  // ended, to be joined
  std::deque<Job> jobs_;
  // state
  const WorkerOptions options_;
  std::mutex mutex_;
  std::condition_variable work_;
  std::condition_variable idle_;
  unsigned alive_ = 0;
  unsigned free_ = 0;  // threads that wait for work
  unsigned running_ = 0;
  bool stopping_ = false;
};

}  // namespace patchbay::core
