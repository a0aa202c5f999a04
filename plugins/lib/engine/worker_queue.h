// WorkerQueue: worker threads that run jobs in the order in which they were queued, each with a state of its
// own thread (decoders, a library that must be initialised). Threads start on demand; threads without a job
// or Use end after `idle`, and their states with them.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace patchbay::lib {

template <class State>
class WorkerQueue {
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kMinUsePoll{10};  // for a Use to end
  // Shared with the Uses, which may outlive the queue.
  struct Users {
    std::atomic<int> count{0};
    std::atomic<Clock::time_point> last{Clock::now()};  // when the last Use or job ended
  };

 public:
  using Job = std::function<void(State&)>;

  // While one exists, the threads do not end.
  class Use {
   public:
    explicit Use(std::shared_ptr<Users> users) : users_(std::move(users)) { ++users_->count; }
    Use(Use&& other) noexcept = default;
    Use& operator=(Use&&) = delete;
    ~Use() {
      if (!users_) return;
      users_->last = Clock::now();
      --users_->count;
    }

   private:
    std::shared_ptr<Users> users_;
  };

  // At most `threads`, each of which makes its state with make_state() and destroys it. A thread ends when
  // for `idle` there was neither a job nor a Use.
  WorkerQueue(int threads, std::function<State()> make_state, std::chrono::milliseconds idle)
      : max_threads_(static_cast<size_t>(threads)), make_state_(std::move(make_state)), idle_(idle) {}
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

  // [any]
  Use use() const { return Use(users_); }
  // [any] Applies to threads that become idle later.
  void set_idle(std::chrono::milliseconds idle) { idle_ = idle; }

  // [any] Queues a job. A job that throws, because memory is exhausted, is lost; its thread goes on. Returns
  // false, and queues nothing, if there is no thread and none can be started.
  bool push(Job job) {
    std::vector<Job> jobs;
    jobs.push_back(std::move(job));
    return add(std::move(jobs), SIZE_MAX);
  }
  // [any] As push() for all jobs or none; also returns false if more than `max_waiting` would wait.
  bool push_all(std::vector<Job> jobs, size_t max_waiting) { return add(std::move(jobs), max_waiting); }

 private:
  // Joins the threads, also when no other thread can be started.
  struct Ended {
    std::vector<std::thread> threads;
    ~Ended() {
      for (std::thread& thread : threads) thread.join();
    }
  };

  bool add(std::vector<Job> jobs, size_t max_waiting) {
    Ended ended;
    {
      const std::lock_guard lock(mutex_);
      if (jobs_.size() + jobs.size() > max_waiting) return false;
      ended.threads = take_ended();
      if (!start_threads(jobs_.size() + jobs.size())) return false;
      for (Job& job : jobs) jobs_.push_back(std::move(job));
    }
    wake_.notify_all();
    return true;
  }

  // Under mutex_. Starts as many threads as `jobs` need. False: there is none.
  bool start_threads(size_t jobs) {
    while (jobs > free_ + starting_ && alive_ < max_threads_) {
      ended_.reserve(threads_.size() + 1);  // so that a thread can end while memory is exhausted
      try {
        threads_.emplace_back([this] { run(); });
      } catch (const std::system_error&) {
        break;
      }
      ++starting_;
      ++alive_;
    }
    return alive_ > 0;
  }

  // Under mutex_. Threads that have left run(), or are about to.
  std::vector<std::thread> take_ended() {
    const auto has_ended = [this](const std::thread& thread) {
      return std::find(ended_.begin(), ended_.end(), thread.get_id()) != ended_.end();
    };
    const auto from = std::stable_partition(threads_.begin(), threads_.end(),
                                            [&](const std::thread& thread) { return !has_ended(thread); });
    std::vector<std::thread> ended(std::make_move_iterator(from), std::make_move_iterator(threads_.end()));
    threads_.erase(from, threads_.end());
    ended_.clear();
    return ended;
  }

  void run() {
    {
      State state = make_state_();
      std::unique_lock lock(mutex_);
      --starting_;
      while (wait_for_job(lock)) {
        Job job = std::move(jobs_.front());
        jobs_.pop_front();
        lock.unlock();
        try {
          job(state);
        } catch (...) {
        }
        job = nullptr;  // destroyed without the lock
        users_->last = Clock::now();
        lock.lock();
      }
      --alive_;  // before the state is destroyed, so that a job that is queued now gets another thread
    }
    const std::lock_guard lock(mutex_);
    ended_.push_back(std::this_thread::get_id());
  }

  // Under `lock`. False: the thread ends.
  bool wait_for_job(std::unique_lock<std::mutex>& lock) {
    ++free_;
    auto until = Clock::now() + idle_.load();
    while (!stopping_ && jobs_.empty()) {
      if (wake_.wait_until(lock, until) == std::cv_status::no_timeout || !jobs_.empty()) continue;
      const auto now = Clock::now();
      const bool is_used = users_->count > 0;
      until = is_used ? now + std::max(idle_.load(), kMinUsePoll) : users_->last.load() + idle_.load();
      if (!is_used && until <= now) break;
    }
    --free_;
    return !stopping_ && !jobs_.empty();
  }

  const size_t max_threads_;
  const std::function<State()> make_state_;
  std::atomic<std::chrono::milliseconds> idle_;
  const std::shared_ptr<Users> users_ = std::make_shared<Users>();
  std::mutex mutex_;  // guards the following
  std::deque<Job> jobs_;
  std::vector<std::thread> threads_;
  std::vector<std::thread::id> ended_;  // of threads_; to be joined
  size_t alive_ = 0;                    // threads that take jobs
  size_t starting_ = 0;                 // of these, those that make their state
  size_t free_ = 0;                     // of these, those that wait for a job
  bool stopping_ = false;
  std::condition_variable wake_;
};

}  // namespace patchbay::lib
