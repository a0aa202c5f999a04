// EventRing: the waiting events of one subscription, oldest first. Grows by doubling up to its bound. Not
// thread-safe.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>

#include "bus/event.h"

namespace patchbay::core {

class EventRing {
 public:
  explicit EventRing(size_t most) : most_(most) {}

  size_t size() const noexcept { return tail_ - head_; }
  size_t bytes() const noexcept { return bytes_; }
  // Has no room for `more` bytes; one event of any size fits when it is empty.
  bool full(size_t more = 0) const noexcept {
    return size() >= most_ || (size() > 0 && bytes_ + more > kMaxBytes);
  }

  // Not when full.
  void push(const Event* event) {
    if (size() == capacity_) grow();
    slots_[tail_++ & (capacity_ - 1)] = event;
    bytes_ += event->bytes();
  }
  // Not when empty.
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

  static constexpr size_t kMaxBytes = size_t{16} << 20;

  const size_t most_;
  size_t bytes_ = 0;
  std::unique_ptr<const Event*[]> slots_;
  size_t capacity_ = 0;  // a power of two
  size_t head_ = 0;
  size_t tail_ = 0;
};

}  // namespace patchbay::core
