// Pacer: a thread that calls back every millisecond with the slot within 20 ms, so that the calls of a bench
// are spread over the frame, as real calls are. Late slots are caught up, none is skipped.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>
#include <utility>

namespace patchbay::bench {

constexpr int kFrameMs = 20;
constexpr int kLoud = 2000;  // a sample above this is part of a burst

inline int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

class Pacer {
 public:
  explicit Pacer(std::function<void(int slot, int64_t due_ns)> work)
      : work_(std::move(work)), thread_([this] { run(); }) {}
  ~Pacer() {
    stop_ = true;
    thread_.join();
  }
  Pacer(const Pacer&) = delete;
  Pacer& operator=(const Pacer&) = delete;

 private:
  void run() {
    auto due = std::chrono::steady_clock::now();
    for (int slot = 0; !stop_; slot = (slot + 1) % kFrameMs) {
      due += std::chrono::milliseconds(1);
      std::this_thread::sleep_until(due);
      work_(slot, std::chrono::nanoseconds(due.time_since_epoch()).count());
    }
  }

  const std::function<void(int, int64_t)> work_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace patchbay::bench
