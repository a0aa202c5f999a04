// EventRing: FIFO ring buffer of a subscription's queued events. Grows by doubling, up to its limit. Not
// thread-safe.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>

#include "bus/event.h"
#include "bus/limits.h"

namespace patchbay::core {

class EventRing {
 public:
  explicit EventRing(size_t max_events) : max_events_(max_events) {}

  size_t size() const noexcept { return tail_ - head_; }
  size_t bytes() const noexcept { return bytes_; }
  // True when `more` bytes do not fit. An empty ring takes one event of any size.
  bool full(size_t more = 0) const noexcept {
    return size() >= max_events_ || (size() > 0 && bytes_ + more > kMaxQueuedEventBytes);
  }

  // Must not be full.
  void push(const Event* event) {
    if (size() == capacity_) grow();
    slots_[tail_++ & (capacity_ - 1)] = event;
    bytes_ += event->bytes();
  }
  // Must not be empty.
  const Event* pop() noexcept {
    const Event* event = slots_[head_++ & (capacity_ - 1)];
    bytes_ -= event->bytes();
    return event;
  }

 private:
  void grow() {
    const size_t capacity = capacity_ ? capacity_ * 2 : 16;
    auto slots = std::make_unique<const Event*[]>(capacity);
    const size_t count = size();
    for (size_t i = 0; i < count; ++i) slots[i] = slots_[(head_ + i) & (capacity_ - 1)];
    slots_ = std::move(slots);
    capacity_ = capacity;
    head_ = 0;
    tail_ = count;
  }

  const size_t max_events_;
  size_t bytes_ = 0;
  std::unique_ptr<const Event*[]> slots_;
  size_t capacity_ = 0;  // a power of two
  size_t head_ = 0;
  size_t tail_ = 0;
};

}  // namespace patchbay::core
