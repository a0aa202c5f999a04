#include "plugins/lifecycle_step.h"

#include <patchbay/str.h>

#include <algorithm>
#include <utility>

#include "runtime/thread_kind.h"
#include "services/handle_map.h"

namespace patchbay::core {
namespace {

// Plugins get the number of a step, not its address, so that an answer that comes too late finds no step.
HandleMap<std::weak_ptr<LifecycleStep>>& steps() {
  static auto* const all = new HandleMap<std::weak_ptr<LifecycleStep>>;  // a late answer may come at exit
  return *all;
}

}  // namespace

LifecycleStep::LifecycleStep(HostContext& context, const char* what) : context_(context), what_(what) {}

LifecycleStep::~LifecycleStep() {
  if (number_ != 0) steps().take(number_);
}

std::shared_ptr<LifecycleStep> LifecycleStep::ask(HostContext& context, const char* what,
                                                  std::function<void(LifecycleStep&)> call) {
  auto step = std::make_shared<LifecycleStep>(context, what);
  const bool posted = context.main_strand()->post_to_executor([step, call = std::move(call)] {
    const OwnerScope scope(step->context_.id().c_str());
    const CallbackScope callback(step->what_);
    call(*step);
    step->has_returned_.store(true, std::memory_order_release);
  });
  if (!posted) step->answer({Code::gone, "its strand is closed"});
  return step;
}

std::shared_ptr<LifecycleStep> LifecycleStep::close_main_strand(HostContext& context) {
  auto step = std::make_shared<LifecycleStep>(context, "close");
  context.main_strand()->close(
      [](void* raw) {
        const std::unique_ptr<std::shared_ptr<LifecycleStep>> held(
            static_cast<std::shared_ptr<LifecycleStep>*>(raw));
        (*held)->answer({});
      },
      new std::shared_ptr<LifecycleStep>(step));
  return step;
}

std::optional<Status> LifecycleStep::wait(Wait limit) {
  std::unique_lock lock(mutex_);
  condition_.wait_for(lock, limit, [this] { return answer_.has_value(); });
  return answer_;
}

void LifecycleStep::answer(Status status) {
  {
    const std::lock_guard lock(mutex_);
    if (!answer_) {
      answer_ = std::move(status);
      condition_.notify_all();
      return;
    }
  }
  if (HostObserver* observer = context_.observer()) observer->answered_twice(context_, what_);
}

pb_done LifecycleStep::done() {
  static_assert(sizeof(void*) == sizeof(uint64_t));
  if (number_ == 0) number_ = steps().add(weak_from_this());
  return {sizeof(pb_done), 0, reinterpret_cast<void*>(number_.load()),
          [](void* self, int32_t status, const pb_err* err) noexcept {
            const auto step = steps().find(reinterpret_cast<uint64_t>(self)).lock();
            if (step) step->answer(read_status(status, err));
          }};
}

LifecycleStep::Wait LifecycleStep::left_of(Wait limit) const {
  const auto passed = std::chrono::steady_clock::now() - begun_;
  return std::max(Wait(0), limit - std::chrono::duration_cast<Wait>(passed));
}

}  // namespace patchbay::core
