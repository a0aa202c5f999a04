#include "child_port.h"

#include <algorithm>

#include "child_host.h"

namespace patchbay::core::isolation {
namespace {

pb_frame frame_of(const pb_tick& tick, uint32_t rate_hz, int16_t* pcm) {
  pb_frame frame{};
  frame.size = sizeof frame;
  frame.tick = tick.number;
  frame.time_ns = tick.time_ns;
  frame.rate_hz = rate_hz;
  frame.capacity = std::min(rate_hz / 1000 * PB_TICK_MS, kMostSamples);
  frame.pcm = pcm;
  return frame;
}

}  // namespace

void ChildPort::begin(void* host, const pb_media& media) {
  attachment_ = media.attach(host, PB_LOOP_ANY, &ChildPort::tick, this);
}

void ChildPort::end(void* host, const pb_media& media) {
  media.detach(
      host, attachment_,
      [](void* raw) noexcept {
        auto* port = static_cast<ChildPort*>(raw);
        if (port->joined_ % 2 == 1) port->port_->detached(port->self_);
        ChildHost::get().context().main_strand()->post([port] {
          const std::unique_ptr<ChildPort> owned(port);
          if (owned->done != nullptr) owned->done(owned->user);
        });
      },
      this);
}

void ChildPort::tick(void* self, const pb_tick* tick) noexcept {
  auto& port = *static_cast<ChildPort*>(self);
  const uint32_t joined = port.ring_->shared().joined.load(std::memory_order_acquire);
  if (joined != port.joined_) {
    if (port.joined_ % 2 == 1) port.port_->detached(port.self_);
    port.joined_ = joined;
    if (joined % 2 == 1) {
      port.ring_->shared().to_child.clear();
      port.port_->attached(port.self_, tick->loop);
    }
  }
  if (joined % 2 == 1) port.exchange(*tick);
}

void ChildPort::exchange(const pb_tick& tick) noexcept {
  SharedAudio& shared = ring_->shared();
  while (port_->push_rate_hz != 0) {
    pb_frame in = frame_of(tick, port_->push_rate_hz, pcm_);
    if (!shared.to_child.pop(in)) break;
    port_->push(self_, &in);
  }
  while (port_->pull_rate_hz != 0 && shared.to_parent.size() < kAhead) {
    pb_frame out = frame_of(tick, port_->pull_rate_hz, pcm_);
    port_->pull(self_, &out);
    if (!shared.to_parent.push(out)) break;
  }
}

}  // namespace patchbay::core::isolation
