#include "legs/media_watch.h"

#include <algorithm>
#include <utility>

#include "stack/sip_limits.h"

namespace patchbay::sip_trunk {

MediaWatch::MediaWatch(const Host& host, int64_t timeout_ms, Function<void(const std::string& why)> on_silent)
    : host_(host), timeout_ms_(timeout_ms), on_silent_(std::move(on_silent)), timer_(host) {}

void MediaWatch::start(const std::atomic<int64_t>& last_received_ns) {
  last_received_ns_ = &last_received_ns;
  started_ns_ = host_.mono_ns();
  timer_.after_ms(kMediaCheckMs, [this] { check(); });
}

void MediaWatch::set_held(bool held) {
  const std::lock_guard lock(mutex_);
  if (std::exchange(held_, held)) resumed_ns_ = host_.mono_ns();
}

void MediaWatch::check() {
  int64_t since_ns = std::max(started_ns_, last_received_ns_->load(std::memory_order_relaxed));
  bool held = false;
  {
    const std::lock_guard lock(mutex_);
    held = held_;
    since_ns = std::max(since_ns, resumed_ns_);
  }
  const int64_t silent_ms = (host_.mono_ns() - since_ns) / 1'000'000;
  if (!held && silent_ms >= timeout_ms_)
    return on_silent_("no media for " + std::to_string(silent_ms / 1000) + " s");
  timer_.after_ms(kMediaCheckMs, [this] { check(); });
}

}  // namespace patchbay::sip_trunk
