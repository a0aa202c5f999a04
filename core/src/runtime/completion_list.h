// CompletionList: those who wait for one end. Callers add until it ends; who comes later is told so.
#pragma once

#include <atomic>

#include "runtime/push_list.h"
#include "runtime/task.h"

namespace patchbay::core {

class CompletionList {
 public:
  // [any] False when the end has come already: the task was not taken.
  bool add(Task& waiter) noexcept {
    Task* head = head_.load(std::memory_order_acquire);
    do {
      if (head == completed()) return false;
      waiter.next = head;
    } while (
        !head_.compare_exchange_weak(head, &waiter, std::memory_order_acq_rel, std::memory_order_acquire));
    return true;
  }

  // Ends the list, once, and runs the waiters in the order they came.
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
