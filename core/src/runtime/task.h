// Task: a unit of work with an intrusive queue link. The poster owns its memory again as soon as run() is
// called; tasks made by the functions below free themselves.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace patchbay::core {

// A C callback, as it crosses the plugin boundary. It must not throw.
using CallFn = void (*)(void* user);

struct Task {
  using RunFn = void (*)(Task&) noexcept;

  explicit Task(RunFn fn) noexcept : run(fn) {}

  RunFn run;
  Task* next = nullptr;
};

// [any, not media] A task that calls fn(user) once and frees itself.
Task& make_call(CallFn fn, void* user);

// Counts the calls that one owner has posted and that have not run yet.
struct CallCount {
  std::atomic<int64_t> waiting{0};
  std::atomic<int64_t> pooled{0};    // of these, tasks from the pool, posted on media loops
  std::atomic<uint64_t> refused{0};  // since the start
};

// [any, media too] The same for an owner whose waiting calls are limited; null at the limit. On a media loop
// nothing is allocated: the task comes from a fixed pool (8192, shared by all owners) or is the SpareCall in
// use. `count` must outlive the task.
Task* make_counted_call(CallFn fn, void* user, CallCount& count) noexcept;

// The posts of one owner to media loops.
struct LoopPosts : CallCount {
  const char* owner = nullptr;          // its interned_name(), or null
  std::atomic<bool> suppressed{false};  // then posts do not call the owner any more
};

// [any, media too] A call for a media loop, whose thread may not free memory either, so that it always comes
// from the fixed pool; null at the limit or when the pool is empty. `posts` must outlive the task:
// posts.waiting is lowered after the call.
Task* make_loop_post(CallFn fn, void* user, LoopPosts& posts) noexcept;

// Frees a task of the functions above that will not run.
void discard_call(Task& task) noexcept;

// Allocates the pool. Called before the first media thread starts, so that no tick pays for it.
void prepare_call_pool();

// One call, allocated beforehand, for a callback on a media loop whose post must not fail: without it, the
// owner would never learn that what it attached has ended.
struct CallTask;
class SpareCall {
 public:
  SpareCall();
  ~SpareCall();
  SpareCall(const SpareCall&) = delete;
  SpareCall& operator=(const SpareCall&) = delete;

  // [media] Until the end of the scope, the first call that the pool cannot supply uses this one.
  class Use {
   public:
    explicit Use(SpareCall& spare) noexcept;
    ~Use();
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    SpareCall* const outer_;
  };

 private:
  friend Task* make_counted_call(CallFn fn, void* user, CallCount& count) noexcept;
  CallTask* call_;  // null once used; the task then frees itself, like any other
};

// A task that owns a callable and frees itself once it has run. An exception from the callable terminates the
// process.
template <class F>
struct OwnedTask : Task {
  template <class G>
  OwnedTask(std::in_place_t, G&& g) : Task(run_and_free), callable(std::forward<G>(g)) {}

  static void run_and_free(Task& self) noexcept {
    auto& owned = static_cast<OwnedTask&>(self);
    owned.callable();
    delete &owned;
  }

  F callable;
};

template <class F>
OwnedTask<std::decay_t<F>>& make_task(F&& callable) {
  return *new OwnedTask<std::decay_t<F>>(std::in_place, std::forward<F>(callable));
}

}  // namespace patchbay::core
