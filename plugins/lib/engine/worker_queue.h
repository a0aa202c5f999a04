// WorkerQueue: worker threads that run jobs in the order in which they were queued, each with a state of its
// own thread (decoders, a library that must be initialised).
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace patchbay::lib {

template <class State>
class WorkerQueue {
 public:
  using Job = std::function<void(State&)>;

  // Each thread makes its state with make_state() and destroys it.
  WorkerQueue(int threads, std::function<State()> make_state) : make_state_(std::move(make_state)) {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { run(); });
  }
  // Drops the waiting jobs and waits for the running ones.
  ~WorkerQueue() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  WorkerQueue(const WorkerQueue&) = delete;
  WorkerQueue& operator=(const WorkerQueue&) = delete;

  // [any] Queues a job. A job that throws, because memory is exhausted, is lost; its thread goes on.
  void push(Job job) {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
    wake_.notify_one();
  }
  // [any] Queues all jobs and returns true, or none and returns false if more than `max_waiting` would wait.
  bool push_all(std::vector<Job> jobs, size_t max_waiting) {
    const std::lock_guard lock(mutex_);
    if (jobs_.size() + jobs.size() > max_waiting) return false;
    for (Job& job : jobs) jobs_.push_back(std::move(job));
    wake_.notify_all();
    return true;
  }

 private:
  void run() {
    State state = make_state_();
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
      if (stopping_) return;
      Job job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      try {
        job(state);
      } catch (...) {
      }
      job = nullptr;  // destroyed without the lock
      lock.lock();
    }
  }

  const std::function<State()> make_state_;
  std::mutex mutex_;  // guards the next two
  std::deque<Job> jobs_;
  bool stopping_ = false;
  std::condition_variable wake_;
  std::vector<std::thread> threads_;
};

}  // namespace patchbay::lib
