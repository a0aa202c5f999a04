#include "runtime/task.h"

#include <array>
#include <atomic>
#include <cstdint>

#include "runtime/thread_kind.h"

namespace patchbay::core {
namespace {

struct CallTask : Task {
  CallTask() noexcept : Task(nullptr) {}
  CallFn fn = nullptr;
  void* user = nullptr;
  std::atomic<int64_t>* counted = nullptr;
  std::atomic<uint32_t> next_free{0};

  // Its own memory may go before the call.
  void uncount() const noexcept {
    if (counted != nullptr) counted->fetch_sub(1, std::memory_order_relaxed);
  }
};

// Free cells by index; the upper half of the head counts pops, so that a cell that came back meanwhile is
// noticed.
class CallPool {
 public:
  CallTask* take() noexcept {
    uint64_t head = free_.load(std::memory_order_acquire);
    while (uint32_t(head) != 0) {
      const uint32_t next = cells_[uint32_t(head) - 1].next_free.load(std::memory_order_relaxed);
      const uint64_t rest = ((head >> 32) + 1) << 32 | next;
      if (free_.compare_exchange_weak(head, rest, std::memory_order_acq_rel))
        return &cells_[uint32_t(head) - 1];
    }
    if (fresh_.load(std::memory_order_relaxed) >= cells_.size()) return nullptr;
    const uint32_t index = fresh_.fetch_add(1, std::memory_order_relaxed);
    return index < cells_.size() ? &cells_[index] : nullptr;
  }

  void give_back(CallTask& cell) noexcept {
    const auto index = uint32_t(&cell - cells_.data()) + 1;
    uint64_t head = free_.load(std::memory_order_relaxed);
    uint64_t next = 0;
    do {
      cell.next_free.store(uint32_t(head), std::memory_order_relaxed);
      next = (head >> 32) << 32 | index;
    } while (!free_.compare_exchange_weak(head, next, std::memory_order_release, std::memory_order_relaxed));
  }

 private:
  std::array<CallTask, 4096> cells_;
  std::atomic<uint64_t> free_{0};
  std::atomic<uint32_t> fresh_{0};
};

CallPool& call_pool() {
  static auto& pool = *new CallPool;  // outlives every thread
  return pool;
}

void run_pooled(Task& task) noexcept {
  auto& call = static_cast<CallTask&>(task);
  const CallFn fn = call.fn;
  void* user = call.user;
  call.uncount();
  call_pool().give_back(call);
  fn(user);
}

void run_owned(Task& task) noexcept {
  auto& call = static_cast<CallTask&>(task);
  const CallFn fn = call.fn;
  void* user = call.user;
  call.uncount();
  delete &call;
  fn(user);
}

}  // namespace

void prepare_call_pool() { call_pool(); }

Task& make_call(CallFn fn, void* user, std::atomic<int64_t>* counted) {
  CallTask* call = thread_kind() == ThreadKind::media ? call_pool().take() : nullptr;
  const bool pooled = call != nullptr;
  if (!pooled) call = new CallTask;
  call->run = pooled ? run_pooled : run_owned;
  call->fn = fn;
  call->user = user;
  call->counted = counted;
  return *call;
}

void discard_call(Task& task) noexcept {
  auto& call = static_cast<CallTask&>(task);
  call.uncount();
  if (call.run == run_pooled)
    call_pool().give_back(call);
  else
    delete &call;
}

}  // namespace patchbay::core
