#include "runtime/worker_pool.h"

#include <pthread.h>

#include <algorithm>
#include <system_error>

#include "runtime/thread_kind.h"

namespace patchbay::core {

WorkerPool::WorkerPool(const WorkerOptions& options) : options_(options) {}

WorkerPool::~WorkerPool() { stop(); }

void WorkerPool::stop() {
  std::vector<std::thread> threads;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    threads.swap(threads_);
  }
  work_.notify_all();
  for (auto& thread : threads) thread.join();
}

Status WorkerPool::submit(std::string owner, CallFn fn, void* user) {
  std::vector<std::thread> gone;
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return {Code::gone, "the workers are stopping"};
    if (jobs_.size() >= options_.max_waiting)
      return {Code::exhausted, "all workers are busy and " + std::to_string(jobs_.size()) + " jobs wait"};
    reap_locked(gone);
    if (free_ <= jobs_.size() && alive_ < options_.max_threads) {
      try {
        threads_.emplace_back([this] { run(); });
        ++alive_;
      } catch (const std::system_error&) {
        if (alive_ == 0) return {Code::exhausted, "cannot start a worker thread"};
      }
    }
    jobs_.push_back({std::move(owner), fn, user});
  }
  work_.notify_one();
  for (auto& thread : gone) thread.join();
  return {};
}

bool WorkerPool::wait_idle(std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  return idle_.wait_for(lock, timeout, [this] { return jobs_.empty() && running_ == 0; });
}

bool WorkerPool::idle() {
  const std::lock_guard lock(mutex_);
  return jobs_.empty() && running_ == 0;
}

WorkerPool::Stats WorkerPool::stats() {
  const std::lock_guard lock(mutex_);
  return {jobs_.size(), running_, alive_};
}

void WorkerPool::run() {
  pthread_setname_np(pthread_self(), "pb-worker");
  thread_state.kind = ThreadKind::worker;
  std::unique_lock lock(mutex_);
  for (;;) {
    ++free_;
    const bool called = work_.wait_for(lock, std::chrono::milliseconds(kWorkerIdleMs),
                                       [this] { return stopping_ || !jobs_.empty(); });
    --free_;
    if (jobs_.empty()) {
      if (stopping_) break;
      if (!called && alive_ > options_.min_threads) break;
      continue;
    }
    const Job job = std::move(jobs_.front());
    jobs_.pop_front();
    ++running_;
    lock.unlock();
    {
      const OwnerScope scope(job.owner.c_str());
      job.fn(job.user);
    }
    lock.lock();
    if (--running_ == 0 && jobs_.empty()) idle_.notify_all();
  }
  --alive_;
  exited_.push_back(std::this_thread::get_id());
}

// Takes exited threads out to be joined, because they hold resources until then. The next submit() does it.
void WorkerPool::reap_locked(std::vector<std::thread>& gone) {
  for (const auto id : exited_) {
    const auto found =
        std::find_if(threads_.begin(), threads_.end(), [&](auto& t) { return t.get_id() == id; });
    if (found == threads_.end()) continue;
    gone.push_back(std::move(*found));
    threads_.erase(found);
  }
  exited_.clear();
}

}  // namespace patchbay::core
