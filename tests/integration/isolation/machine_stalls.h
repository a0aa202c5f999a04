// Stalls: records when the machine was too busy to run this process: a thread wakes every 2 ms and notes when
// it was woken late. Other code cannot have been on time then either.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace patchbay::test {

class Stalls {
 public:
  Stalls() : thread_([this] { run(); }) {}
  ~Stalls() {
    stop_ = true;
    thread_.join();
  }
  Stalls(const Stalls&) = delete;
  Stalls& operator=(const Stalls&) = delete;

  // The stalled part of that interval (steady clock).
  int64_t within_ns(int64_t from_ns, int64_t to_ns) const {
    const std::lock_guard lock(mutex_);
    int64_t sum = 0;
    for (const auto& [from, to] : stalls_)
      sum += std::max<int64_t>(0, std::min(to, to_ns) - std::max(from, from_ns));
    return sum;
  }
  int64_t longest_ns() const {
    const std::lock_guard lock(mutex_);
    int64_t longest = 0;
    for (const auto& [from, to] : stalls_) longest = std::max(longest, to - from);
    return longest;
  }

 private:
  static constexpr std::chrono::milliseconds kBeat{2}, kLate{8};

  void run() {
    auto due = std::chrono::steady_clock::now();
    while (!stop_) {
      due += kBeat;
      std::this_thread::sleep_until(due);
      const auto now = std::chrono::steady_clock::now();
      if (now - due < kLate) continue;
      const std::lock_guard lock(mutex_);
      stalls_.emplace_back(ns(due), ns(now));
      due = now;
    }
  }
  static int64_t ns(std::chrono::steady_clock::time_point at) {
    return std::chrono::nanoseconds(at.time_since_epoch()).count();
  }

  mutable std::mutex mutex_;
  std::vector<std::pair<int64_t, int64_t>> stalls_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace patchbay::test
