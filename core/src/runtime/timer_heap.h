// TimerHeap: the timers of one media loop, earliest first. A pairing heap whose links are members of the
// timers, so that setting one allocates nothing: add() takes constant, remove() logarithmic amortised time.
#pragma once

#include "runtime/loop_object.h"

namespace patchbay::core {

class TimerHeap {
 public:
  // The earliest; null if there is none.
  LoopTimer* front() const noexcept { return root_; }
  // The timer must not be in the heap; its due time must not change while it is.
  void add(LoopTimer& timer) noexcept;
  void remove(LoopTimer& timer) noexcept;

 private:
  static LoopTimer* meld(LoopTimer* a, LoopTimer* b) noexcept;
  static LoopTimer* merge_siblings(LoopTimer* first) noexcept;

  LoopTimer* root_ = nullptr;
};

}  // namespace patchbay::core
