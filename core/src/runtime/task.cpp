#include "runtime/task.h"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>

#include "runtime/block_pool.h"
#include "runtime/limits.h"
#include "runtime/thread_kind.h"

namespace patchbay::core {

struct CallTask : Task {
  CallTask() noexcept : Task(nullptr) {}
  CallFn fn = nullptr;
  void* user = nullptr;
  CallCount* count = nullptr;  // null unless a plugin posted it
  std::atomic<uint32_t> next_free{0};

  static void* operator new(size_t) { return BlockPool<64>::allocate(); }
  static void operator delete(void* task) noexcept { BlockPool<64>::free(task); }
};
static_assert(sizeof(CallTask) <= 64);

namespace {

// A free list by index. The upper half of the head counts pops, which avoids the ABA problem.
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
    if (fresh_.load(std::memory_order_relaxed) >= kPostPoolSize) return nullptr;
    const uint32_t index = fresh_.fetch_add(1, std::memory_order_relaxed);
    return index < kPostPoolSize ? ::new (&cells_[index]) CallTask : nullptr;
  }

  void give_back(CallTask& cell) noexcept {
    const auto index = uint32_t(&cell - cells_) + 1;
    uint64_t head = free_.load(std::memory_order_relaxed);
    uint64_t next = 0;
    do {
      cell.next_free.store(uint32_t(head), std::memory_order_relaxed);
      next = (head >> 32) << 32 | index;
    } while (!free_.compare_exchange_weak(head, next, std::memory_order_release, std::memory_order_relaxed));
  }

 private:
  // Zero pages of the system, which take memory once they are used; most servers use a few cells.
  CallTask* const cells_ = static_cast<CallTask*>(std::calloc(kPostPoolSize, sizeof(CallTask)));
  std::atomic<uint64_t> free_{0};
  std::atomic<uint32_t> fresh_{cells_ == nullptr ? uint32_t(kPostPoolSize) : 0};
};

CallPool& call_pool() {
  static auto& pool = *new CallPool;  // never freed, as threads that hang may still use it
  return pool;
}

thread_local constinit SpareCall* spare_in_use = nullptr;

// Frees the task and lowers the count before the call, so that fn may post again.
void run_pooled(Task& task) noexcept {
  auto& call = static_cast<CallTask&>(task);
  const CallFn fn = call.fn;
  void* user = call.user;
  discard_call(task);
  const CallbackScope what("post");
  fn(user);
}

void run_owned(Task& task) noexcept {
  auto& call = static_cast<CallTask&>(task);
  const CallFn fn = call.fn;
  void* user = call.user;
  const bool of_plugin = call.count != nullptr;
  discard_call(task);
  const CallbackScope what(of_plugin ? "post" : thread_state.what, thread_state.detail);
  fn(user);
}

// Gives the task back before the call, so that fn may post again, and lowers the count after it.
void run_on_loop(Task& task) noexcept {
  auto& call = static_cast<CallTask&>(task);
  const CallFn fn = call.fn;
  void* user = call.user;
  auto& posts = static_cast<LoopPosts&>(*call.count);
  call_pool().give_back(call);
  posts.pooled.fetch_sub(1, std::memory_order_relaxed);
  if (!posts.suppressed.load(std::memory_order_acquire)) {
    const OwnerScope scope(posts.owner);
    const CallbackScope what("post");
    fn(user);
  }
  posts.waiting.fetch_sub(1, std::memory_order_release);
}

CallTask* take_pooled(CallCount& count) noexcept {
  if (count.pooled.fetch_add(1, std::memory_order_relaxed) < kMaxPooledPosts) {
    if (CallTask* call = call_pool().take()) {
      call->run = run_pooled;
      return call;
    }
  }
  count.pooled.fetch_sub(1, std::memory_order_relaxed);
  return nullptr;
}

CallTask* make_on_heap() {
  auto* call = new CallTask;
  call->run = run_owned;
  return call;
}

}  // namespace

void prepare_call_pool() { call_pool(); }

SpareCall::SpareCall() : call_(make_on_heap()) {}
SpareCall::~SpareCall() { delete call_; }
SpareCall::Use::Use(SpareCall& spare) noexcept : outer_(std::exchange(spare_in_use, &spare)) {}
SpareCall::Use::~Use() { spare_in_use = outer_; }

Task& make_call(CallFn fn, void* user) {
  CallTask* call = make_on_heap();
  call->fn = fn;
  call->user = user;
  return *call;
}

Task* make_counted_call(CallFn fn, void* user, CallCount& count) noexcept {
  CallTask* call = nullptr;
  if (count.waiting.fetch_add(1, std::memory_order_relaxed) < kMaxWaitingPosts)
    call = thread_kind() == ThreadKind::media ? take_pooled(count) : make_on_heap();
  if (call == nullptr && spare_in_use != nullptr) call = std::exchange(spare_in_use->call_, nullptr);
  if (call == nullptr) {
    count.waiting.fetch_sub(1, std::memory_order_relaxed);
    count.refused.fetch_add(1, std::memory_order_relaxed);
    return nullptr;
  }
  call->fn = fn;
  call->user = user;
  call->count = &count;
  return call;
}

Task* make_loop_post(CallFn fn, void* user, LoopPosts& posts) noexcept {
  CallTask* call = take_pooled(posts);
  if (call == nullptr) {
    posts.refused.fetch_add(1, std::memory_order_relaxed);
    return nullptr;
  }
  posts.waiting.fetch_add(1, std::memory_order_relaxed);
  call->run = run_on_loop;
  call->fn = fn;
  call->user = user;
  call->count = &posts;
  return call;
}

void discard_call(Task& task) noexcept {
  auto& call = static_cast<CallTask&>(task);
  const bool pooled = call.run == run_pooled || call.run == run_on_loop;
  CallCount* const count = call.count;
  if (pooled)
    call_pool().give_back(call);
  else
    delete &call;
  if (count == nullptr) return;
  if (pooled) count->pooled.fetch_sub(1, std::memory_order_relaxed);
  count->waiting.fetch_sub(1,
                           std::memory_order_release);  // last, because the owner of a loop post waits for it
}

}  // namespace patchbay::core
