// WorkerPool: threads that may block (DNS, SMTP, files). They start on demand, up to max_threads; those above
// min_threads exit after 30 s without work.
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
#include "runtime/limits.h"
#include "runtime/task.h"

namespace patchbay::core {

struct WorkerOptions {
  unsigned min_threads = kMinWorkers;  // kept once started
  unsigned max_threads = kMaxWorkers;
  size_t max_waiting = kMaxWaitingJobs;  // queued jobs; further ones are refused
};

class WorkerPool {
 public:
  explicit WorkerPool(const WorkerOptions& options = {});
  ~WorkerPool();

  // Refuses new jobs, runs the queued ones, then joins the threads.
  void stop();

  // [any, not media] Runs fn(user) on a worker thread for `owner`, in no particular order. exhausted: the
  // queue is full; gone: the pool is stopping. Then fn is not called.
  Status submit(std::string owner, CallFn fn, void* user);

  // Waits until nothing is queued or running. False on timeout.
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
  std::vector<std::thread::id> exited_;  // to be joined
  std::deque<Job> jobs_;
  // state
  const WorkerOptions options_;
  std::mutex mutex_;
  std::condition_variable work_;
  std::condition_variable idle_;
  unsigned alive_ = 0;
  unsigned free_ = 0;  // threads waiting for work
  unsigned running_ = 0;
  bool stopping_ = false;
};

}  // namespace patchbay::core
