#include "retention.h"

#include <future>

namespace patchbay::core {

Retention::Retention(Runtime& runtime, Store& store)
    : runtime_(runtime), store_(store), strand_(Strand::create(runtime.executor(), "core", "retention")) {
  strand_->post([this] { arm(); });
}

Retention::~Retention() {
  std::promise<void> done;
  strand_->post([this] {
    ended_ = true;
    static_cast<void>(runtime_.timers().cancel(timer_));
  });
  strand_->close([](void* promise) { static_cast<std::promise<void>*>(promise)->set_value(); }, &done);
  done.get_future().wait();
}

void Retention::arm() {
  timer_ = runtime_.timers().arm(TimerClock::mono, runtime_.mono_clock().now_ns() + kEveryMs * 1'000'000,
                                 *strand_, &Retention::sweep, this);
}

void Retention::sweep(void* self) {
  auto* retention = static_cast<Retention*>(self);
  if (retention->ended_) return;
  retention->store_.prune(retention->runtime_.wall_clock().now_ms() - kKeepMs, kAtOnce,
                          [](const Result<int64_t>&) {});
  retention->arm();
}

}  // namespace patchbay::core
