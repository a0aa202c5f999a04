// CompletionList: callbacks waiting for one completion. add() fails once it has completed.
#pragma once

#include <atomic>

#include "runtime/push_list.h"
#include "runtime/task.h"

namespace patchbay::core {

class CompletionList {
 public:
  // [any] False once completed; the caller then still owns the task.
  bool add(Task& waiter) noexcept {
    Task* head = head_.load(std::memory_order_acquire);
    do {
      if (head == completed()) return false;
      waiter.next = head;
    } while (
        !head_.compare_exchange_weak(head, &waiter, std::memory_order_acq_rel, std::memory_order_acquire));
    return true;
  }

  // Completes the list and runs the tasks in the order in which they were added. Call once.
  void complete() noexcept {
    Task* waiter = reverse_chain<Task, &Task::next>(head_.exchange(completed(), std::memory_order_acq_rel));
    while (waiter) {
      Task* next = waiter->next;
      waiter->run(*waiter);
      waiter = next;
    }
  }

 private:
  Task* completed() noexcept { return &mark_; }

  Task mark_{nullptr};  // only its address is used
  std::atomic<Task*> head_{nullptr};
};

}  // namespace patchbay::core
