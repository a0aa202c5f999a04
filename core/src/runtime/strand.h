// Strand: a queue of tasks that an Executor's threads run in order, never two at once. Cheap enough for one
// per call, room or plugin: an idle strand takes about 200 bytes and no thread.
#pragma once

#include <atomic>
#include <string>
#include <utility>

#include "patchbay/result.h"
#include "runtime/completion_list.h"
#include "runtime/ref.h"
#include "runtime/task.h"

namespace patchbay::core {

class Executor;
struct ExecutorSlot;
struct OwnerLoad;

class Strand final : public RefCounted<Strand> {
 public:
  // `owner` is the plugin it works for, `name` its purpose; both appear in reports. The executor must outlive
  // it.
  static Ref<Strand> create(Executor& executor, std::string owner, std::string name);

  // [any, not media] Queues fn(user). Never blocks. False once close() was called; then fn will not run.
  bool post(CallFn fn, void* user);

  // [any, media too] The same for a plugin, whose waiting calls on all its strands are limited (see
  // CallCount). Code::gone: closed; Code::exhausted: too many are waiting.
  Code post_bounded(CallFn fn, void* user);

  // [any, not media] The same with a callable, which is destroyed on the strand once it has run.
  template <class F>
  bool post(F&& callable) {
    if (closing()) return false;
    auto& task = make_task(std::forward<F>(callable));
    if (push(task)) return true;
    delete &task;
    return false;
  }

  // [any, not media] Like post_bounded(), but if the strand is idle, the calling thread runs it, and the
  // strands that this makes ready, before it returns (Executor::run_here).
  Code run_bounded(CallFn fn, void* user);

  // [any, not media] Like post(callable), but no guest runs the call: for calls that may join or destroy a
  // plugin's threads, of which a guest is one.
  template <class F>
  bool post_to_executor(F&& callable) {
    for_executor_.fetch_add(
        1, std::memory_order_relaxed);  // before the push, so that a guest that takes it sees it
    const bool posted = post([this, call = std::forward<F>(callable)]() mutable {
      for_executor_.fetch_sub(1, std::memory_order_relaxed);
      call();
    });
    if (!posted) for_executor_.fetch_sub(1, std::memory_order_relaxed);
    return posted;
  }

  // [any] For the runtime: queues a task that the caller owns, even while closing. False once closed.
  bool push(Task& task) noexcept;

  // [any] Refuses new posts, runs what is queued, then calls done(user) as the last thing on this strand. If
  // the strand has already closed, done(user) runs at once on the caller's thread. `done` may be null.
  void close(CallFn done, void* user);

  // [any] Makes Registration::open() false for all registrations on this strand, so that they call back no
  // more although they are not closed. Posted tasks still run.
  void suppress_callbacks() noexcept { callbacks_suppressed_.store(true, std::memory_order_release); }
  bool callbacks_suppressed() const noexcept { return callbacks_suppressed_.load(std::memory_order_acquire); }

  bool closing() const noexcept { return closing_.load(std::memory_order_acquire); }
  bool is_current() const noexcept { return current() == this; }
  // The strand whose task runs on this thread, or null.
  static Strand* current() noexcept;

  const std::string& owner() const noexcept { return owner_; }
  const std::string& name() const noexcept { return name_; }
  Executor& executor() const noexcept { return executor_; }

 private:
  friend class Executor;
  friend struct ExecutorSlot;
  friend class RefCounted<Strand>;

  enum class Turn { more, idle, closed };

  Strand(Executor& executor, std::string owner, std::string name);
  ~Strand() = default;

  Turn run_turn(ExecutorSlot& slot) noexcept;
  Task* next_task() noexcept;

  // borrowed
  Executor& executor_;
  OwnerLoad& load_;  // the executor's record of this owner
  // owned
  const std::string owner_;
  const std::string name_;
  CompletionList closed_;
  // state
  // Newest task first, or one of two sentinels: idle_ (a push must schedule the strand) and over_ (closed).
  Task idle_{nullptr};
  Task over_{nullptr};
  std::atomic<Task*> head_{&idle_};
  std::atomic<bool> closing_{false};
  std::atomic<bool> callbacks_suppressed_{false};
  Task wake_{[](Task&) noexcept {}};
  std::atomic<int> for_executor_{0};  // queued calls that no guest may run
  Task* local_ = nullptr;             // taken from head_, oldest first; used only by the running thread
  Strand* ready_next_ = nullptr;      // link in the executor's lists
};

}  // namespace patchbay::core
