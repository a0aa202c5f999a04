#include "proxy_port.h"

#include <utility>

namespace patchbay::isolated {

ProxyPort::ProxyPort(const Host& host, std::unique_ptr<Ring> ring, uint32_t pull_rate_hz,
                     uint32_t push_rate_hz)
    : host_(host),
      ring_(std::move(ring)),
      table_{sizeof(pb_port), pull_rate_hz, push_rate_hz, 0, &attached, &pull, &push, &detached},
      handle_(host.media->port_create(host.self, &table_, this)) {}

void ProxyPort::close(Function<void()> done) {
  using Task = OneShot<Function<void()>>;
  auto* task = new Task{host_, "port close", std::move(done)};
  host_.media->port_close(host_.self, std::exchange(handle_, 0), &Task::run, task);
}

void ProxyPort::attached(void* self, uint32_t) noexcept {
  SharedAudio& shared = of(self).ring_->shared();
  shared.to_parent.clear();
  shared.joined.fetch_add(1, std::memory_order_release);
}

void ProxyPort::pull(void* self, pb_frame* out) noexcept {
  if (of(self).ring_->shared().to_parent.pop(*out)) return;
  out->flags |= PB_FRAME_SILENCE;
  out->samples = 0;
}

void ProxyPort::push(void* self, const pb_frame* in) noexcept { of(self).ring_->shared().to_child.push(*in); }

void ProxyPort::detached(void* self) noexcept {
  of(self).ring_->shared().joined.fetch_add(1, std::memory_order_release);
}

}  // namespace patchbay::isolated
