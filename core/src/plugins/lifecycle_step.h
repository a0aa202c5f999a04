// LifecycleStep: one step of a plugin's lifecycle (start, drain, stop ...): a call on its main strand, and
// the answer. An executor thread makes the call, never a guest, because the call may join the guest's thread.
#pragma once

#include <patchbay/abi/plugin.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "abi/host_context.h"
#include "patchbay/result.h"

namespace patchbay::core {

// Any thread. Shared by the waiting thread and the strand, which may run it later.
class LifecycleStep : public std::enable_shared_from_this<LifecycleStep> {
 public:
  using Wait = std::chrono::milliseconds;

  // call(step) runs on the plugin's main strand and answers, at once or later. `what` is a literal: "start".
  static std::shared_ptr<LifecycleStep> ask(HostContext& context, const char* what,
                                            std::function<void(LifecycleStep&)> call);
  // Closes the main strand, which first runs what was queued before.
  static std::shared_ptr<LifecycleStep> close_main_strand(HostContext& context);
  LifecycleStep(HostContext& context, const char* what);
  ~LifecycleStep();
  LifecycleStep(const LifecycleStep&) = delete;
  LifecycleStep& operator=(const LifecycleStep&) = delete;

  // nullopt: no answer came within the limit.
  std::optional<Status> wait(Wait limit);
  // The first answer counts; others are reported to the host's observer.
  void answer(Status status);
  // For a plugin, which may call it twice, or after this step was freed.
  pb_done done();

  const char* what() const noexcept { return what_; }
  // What remains of `limit`, counted from when the step was begun.
  Wait left_of(Wait limit) const;
  // The call has returned, whether it has answered or not.
  bool has_returned() const noexcept { return has_returned_.load(std::memory_order_acquire); }

 private:
  // borrowed
  HostContext& context_;
  const char* const what_;
  // state
  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::atomic<uint64_t> number_{0};  // by which its `done` finds it; 0: there is none
  std::atomic<bool> has_returned_{false};
  std::mutex mutex_;
  std::condition_variable condition_;
  std::optional<Status> answer_;  // guarded by mutex_
};

}  // namespace patchbay::core
