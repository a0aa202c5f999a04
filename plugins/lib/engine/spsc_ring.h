// A bounded queue between exactly one producer thread and one consumer thread; both sides are wait-free.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

namespace patchbay::lib {

template <class T>
class SpscRing {
 public:
  explicit SpscRing(size_t capacity) : mask_(round_up(capacity) - 1), slots_(new T[mask_ + 1]) {}

  bool push(T value) noexcept {  // [producer] false: full
    size_t head = head_.load(std::memory_order_relaxed);
    if (head - tail_.load(std::memory_order_acquire) > mask_) return false;
    slots_[head & mask_] = std::move(value);
    head_.store(head + 1, std::memory_order_release);
    return true;
  }

  T* front() noexcept {  // [consumer] nullptr: empty
    size_t tail = tail_.load(std::memory_order_relaxed);
    if (tail == head_.load(std::memory_order_acquire)) return nullptr;
    return &slots_[tail & mask_];
  }

  void pop() noexcept { tail_.store(tail_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }

  size_t size() const noexcept {
    return head_.load(std::memory_order_acquire) - tail_.load(std::memory_order_acquire);
  }

 private:
  static size_t round_up(size_t wanted) {
    size_t power = 1;
    while (power < wanted) power *= 2;
    return power;
  }

  const size_t mask_;
  std::unique_ptr<T[]> slots_;
  alignas(64) std::atomic<size_t> head_{0};
  alignas(64) std::atomic<size_t> tail_{0};
};

}  // namespace patchbay::lib
