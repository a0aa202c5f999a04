// PushList: a lock-free list with many producers and one consumer, which takes all elements at once, in push
// order. No allocation: the link is a member of the element. Taking everything at once avoids the ABA
// problem.
#pragma once

#include <atomic>

namespace patchbay::core {

// Reverses a chain that is linked newest first; returns its new head.
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
  // [any] True if the list was empty. push() and empty() are sequentially consistent, so that a producer that
  // pushes and then checks whether the consumer sleeps, and a consumer that announces its sleep and then
  // checks empty(), cannot miss each other.
  bool push(T& element) noexcept {
    T* head = head_.load(std::memory_order_relaxed);
    do {
      element.*Next = head;
    } while (
        !head_.compare_exchange_weak(head, &element, std::memory_order_seq_cst, std::memory_order_relaxed));
    return head == nullptr;
  }

  bool empty() const noexcept { return head_.load(std::memory_order_seq_cst) == nullptr; }

  // Takes all elements, oldest first, linked by Next; null if empty. The caller owns the chain.
  T* take() noexcept {
    if (!head_.load(std::memory_order_relaxed)) return nullptr;
    return reverse_chain<T, Next>(head_.exchange(nullptr, std::memory_order_acquire));
  }

 private:
  std::atomic<T*> head_{nullptr};
};

}  // namespace patchbay::core
