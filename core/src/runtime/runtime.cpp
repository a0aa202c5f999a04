#include "runtime/runtime.h"

namespace patchbay::core {

Result<std::unique_ptr<Runtime>> Runtime::create(const RuntimeOptions& options) {
  std::unique_ptr<Runtime> runtime(new Runtime(options));
  if (!runtime->media_.can_wait())
    return Error{Code::exhausted,
                 "cannot open the descriptors of the media loops; raise the open files limit"};
  if (!options.manual) {
    runtime->timer_thread_ = std::make_unique<TimerThread>(runtime->timers_);
    PB_TRY(runtime->timer_thread_->start());
  }
  return runtime;
}

namespace {

ExecutorOptions with_media_watch(ExecutorOptions options, MediaPool& media) {
  options.on_sample = [](void* pool, int64_t now_ns) { static_cast<MediaPool*>(pool)->check(now_ns); };
  options.sample_user = &media;
  return options;
}

}  // namespace

Runtime::Runtime(const RuntimeOptions& options)
    : manual_(options.manual),
      wall_(manual_ ? static_cast<const WallClock&>(*manual_) : system_wall_clock()),
      mono_(manual_ ? static_cast<const MonoClock&>(*manual_) : system_mono_clock()),
      workers_(options.workers),
      media_(options.media),
      executor_(with_media_watch(options.executor, media_)) {
  if (manual_) manual_->drive(&timers_);
}

Runtime::~Runtime() {
  if (manual_) manual_->drive(nullptr);
  if (timer_thread_) timer_thread_->stop();
  executor_.stop_watching();  // it samples the media threads
  media_.stop();
  workers_.stop();
}

void Runtime::stop_sources() {
  if (manual_) manual_->drive(nullptr);
  if (timer_thread_) timer_thread_->stop();
  executor_.stop_watching();  // it samples the media threads
  media_.stop();
}

bool Runtime::wait_idle(std::chrono::milliseconds timeout) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  for (;;) {
    const uint64_t wakeups = executor_.wakeups();
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0 || !workers_.wait_idle(left) || !executor_.wait_idle(left)) return false;
    if (workers_.idle() && executor_.idle() && executor_.wakeups() == wakeups) return true;
  }
}

}  // namespace patchbay::core
