// Lets an object whose callbacks run on one thread be destroyed from any thread: no callback runs after
// close().
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

namespace patchbay::lib {

class CallbackGate {
 public:
  // Runs `callback` unless the gate is closed. Only the thread that delivers the callbacks calls it; calls
  // may nest.
  template <class F>
  void run(F&& callback) {
    {
      std::lock_guard lock(mutex_);
      if (closed_) return;
      runner_ = std::this_thread::get_id();
      ++depth_;
    }
    const Leave leave{*this};
    std::forward<F>(callback)();
  }

  // Any thread. Waits for a running callback, unless called from within it. Without a limit: on other threads
  // than the callbacks' own, close_within() comes first where a callback may block.
  void close() {
    std::unique_lock lock(mutex_);
    closed_ = true;
    if (runner_ == std::this_thread::get_id()) return;
    idle_.wait(lock, [this] { return depth_ == 0; });
  }

  // Like close(), but waits at most `limit`. Returns false if the callback still runs; then what it uses must
  // not be destroyed.
  [[nodiscard]] bool close_within(std::chrono::milliseconds limit) {
    std::unique_lock lock(mutex_);
    closed_ = true;
    if (runner_ == std::this_thread::get_id()) return true;
    return idle_.wait_for(lock, limit, [this] { return depth_ == 0; });
  }

 private:
  // Also after an exception; otherwise close() would wait without end.
  struct Leave {
    CallbackGate& gate;
    ~Leave() {
      std::lock_guard lock(gate.mutex_);
      --gate.depth_;
      gate.idle_.notify_all();
    }
  };

  std::mutex mutex_;
  std::condition_variable idle_;
  std::thread::id runner_;
  int depth_ = 0;
  bool closed_ = false;
};

}  // namespace patchbay::lib
