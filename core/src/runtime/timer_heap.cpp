#include "runtime/timer_heap.h"

#include <utility>

namespace patchbay::core {

void TimerHeap::add(LoopTimer& timer) noexcept {
  timer.child_ = timer.next_ = timer.before_ = nullptr;
  root_ = root_ != nullptr ? meld(root_, &timer) : &timer;
}

void TimerHeap::remove(LoopTimer& timer) noexcept {
  LoopTimer* const children = merge_siblings(timer.child_);
  if (&timer == root_) {
    root_ = children;
    return;
  }
  (timer.before_->child_ == &timer ? timer.before_->child_ : timer.before_->next_) = timer.next_;
  if (timer.next_ != nullptr) timer.next_->before_ = timer.before_;
  if (children != nullptr) root_ = meld(root_, children);
}

// Makes the later of two roots the first child of the earlier one, and returns that one; the first of equal
// ones stays above.
LoopTimer* TimerHeap::meld(LoopTimer* a, LoopTimer* b) noexcept {
  if (b->due_ns_ < a->due_ns_) std::swap(a, b);
  b->before_ = a;
  b->next_ = a->child_;
  if (a->child_ != nullptr) a->child_->before_ = b;
  a->child_ = b;
  return a;
}

// Melds siblings in pairs from the left, then the pairs from the right; returns the one root, or null.
LoopTimer* TimerHeap::merge_siblings(LoopTimer* first) noexcept {
  LoopTimer* pairs = nullptr;  // linked by next_, the last one first
  while (first != nullptr) {
    LoopTimer* a = first;
    LoopTimer* const b = a->next_;
    first = b != nullptr ? b->next_ : nullptr;
    a->next_ = nullptr;
    if (b != nullptr) {
      b->next_ = nullptr;
      a = meld(a, b);
    }
    a->next_ = pairs;
    pairs = a;
  }
  LoopTimer* root = nullptr;
  while (pairs != nullptr) {
    LoopTimer* const rest = std::exchange(pairs->next_, nullptr);
    root = root != nullptr ? meld(root, pairs) : pairs;
    pairs = rest;
  }
  if (root != nullptr) root->before_ = nullptr;
  return root;
}

}  // namespace patchbay::core
