// Deadlines of requests. All wait equally long, so they are kept in order. On the main strand.
#pragma once

#include <patchbay/strand.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>

namespace patchbay::rest_api {

template <class T>
class Deadlines {
 public:
  // Calls `expire` with each entry that still exists at its deadline.
  Deadlines(const Host& host, int64_t wait_ms, std::function<void(const std::shared_ptr<T>&)> expire)
      : host_(&host), wait_ns_(wait_ms * 1'000'000), expire_(std::move(expire)), timer_(host) {}

  void add(const std::shared_ptr<T>& entry) {
    while (!waiting_.empty() && waiting_.front().entry.expired()) waiting_.pop_front();
    if (waiting_.size() >= sweep_size_) sweep();
    waiting_.push_back({host_->mono_ns() + wait_ns_, entry});
    // The timer of an entry that was answered stays, so that not every request sets one.
    if (!timer_.armed()) arm();
  }
  // Limits the wait of all entries, also of later ones.
  void shorten(int64_t wait_ms) {
    wait_ns_ = std::min(wait_ns_, wait_ms * 1'000'000);
    const int64_t latest = host_->mono_ns() + wait_ns_;
    for (auto& waiting : waiting_) waiting.due_ns = std::min(waiting.due_ns, latest);
    if (!waiting_.empty()) arm();
  }

 private:
  struct Waiting {
    int64_t due_ns = 0;
    std::weak_ptr<T> entry;  // destroyed when the request is answered, but its memory is freed with this
  };
  static constexpr size_t kMinSweepSize = 64;
  // Frees the memory of answered requests behind an unanswered request. Rarely enough that each add() takes
  // constant time on average.
  void sweep() {
    std::erase_if(waiting_, [](const Waiting& waiting) { return waiting.entry.expired(); });
    sweep_size_ = std::max(kMinSweepSize, 2 * waiting_.size());
  }
  void arm() {
    const int64_t wait_ns = std::max<int64_t>(waiting_.front().due_ns - host_->mono_ns(), 0);
    timer_.after_ms(wait_ns / 1'000'000 + 1, [this] { run_due(); });
  }
  void run_due() {
    const int64_t now_ns = host_->mono_ns();
    while (!waiting_.empty() && (waiting_.front().due_ns <= now_ns || waiting_.front().entry.expired())) {
      const auto entry = waiting_.front().entry.lock();
      waiting_.pop_front();
      if (entry) expire_(entry);
    }
    if (!waiting_.empty()) arm();
  }

  const Host* host_;
  int64_t wait_ns_;
  std::function<void(const std::shared_ptr<T>&)> expire_;
  std::deque<Waiting> waiting_;
  size_t sweep_size_ = kMinSweepSize;
  Timer timer_;
};

}  // namespace patchbay::rest_api
