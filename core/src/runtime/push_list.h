// PushList: many threads push, one taker empties it whole, in push order. Lock-free, no allocation: the link
// is a member of the element. Taking everything at once is what keeps it free of the ABA problem.
#pragma once

#include <atomic>

namespace patchbay::core {

// Turns a chain that was built newest-first around; returns its new head.
template <class T, T* T::*Next>
T* reverse_chain(T* newest) noexcept {
  T* oldest = nullptr;
  while (newest) {
    T* rest = newest->*Next;
    newest->*Next = oldest;
    oldest = newest;
    newest = rest;
  }
  return oldest;
}

template <class T, T* T::*Next>
class PushList {
 public:
  // [any] True when the list was empty before. In one order with empty(): who pushes and then looks whether
  // the taker sleeps, and a taker that goes to sleep and then looks whether the list is empty, cannot miss
  // each other.
  bool push(T& element) noexcept {
    T* head = head_.load(std::memory_order_relaxed);
    do {
      element.*Next = head;
    } while (
        !head_.compare_exchange_weak(head, &element, std::memory_order_seq_cst, std::memory_order_relaxed));
    return head == nullptr;
  }

  bool empty() const noexcept { return head_.load(std::memory_order_seq_cst) == nullptr; }

  // Oldest first, linked by Next; null when empty. The taker owns the chain.
  T* take() noexcept {
    if (!head_.load(std::memory_order_relaxed)) return nullptr;
    return reverse_chain<T, Next>(head_.exchange(nullptr, std::memory_order_acquire));
  }

 private:
  std::atomic<T*> head_{nullptr};
};

}  // namespace patchbay::core
