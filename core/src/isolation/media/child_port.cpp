#include "isolation/media/child_port.h"

#include <algorithm>

#include "isolation/child_host.h"
#include "isolation/limits.h"

namespace patchbay::core::isolation {
namespace {

pb_frame frame_of(const pb_tick& tick, uint32_t rate_hz, int16_t* pcm) {
  pb_frame frame{};
  frame.size = sizeof frame;
  frame.tick = tick.number;
  frame.time_ns = tick.time_ns;
  frame.rate_hz = rate_hz;
  frame.capacity = std::min(rate_hz / 1000 * PB_TICK_MS, kMaxSamples);
  frame.pcm = pcm;
  return frame;
}

}  // namespace

void ChildPort::begin(void* host, const pb_media& media) {
  attachment_ = media.attach(host, PB_LOOP_ANY, &ChildPort::tick, this);
}

void ChildPort::end() {
  port_->close([](void* raw) { static_cast<ChildPort*>(raw)->leave_loop(); }, this);
}

void ChildPort::leave_loop() noexcept {
  ChildHost& host = ChildHost::get();
  child_media().detach(
      &host.context(), attachment_,
      [](void* raw) noexcept {
        auto* port = static_cast<ChildPort*>(raw);
        if (port->joined_ % 2 == 1) port->port_->table()->detached(port->port_->self());
        Task& last = port->last_;
        if (!ChildHost::get().context().main_strand()->push(last)) last.run(last);
      },
      this);
}

void ChildPort::Last::tell(Task& task) noexcept {
  const std::unique_ptr<ChildPort> owned(&static_cast<Last&>(task).of);
  if (owned->done != nullptr) owned->done(owned->user);
}

void ChildPort::tick(void* raw, const pb_tick* tick) noexcept {
  auto& port = *static_cast<ChildPort*>(raw);
  const pb_port& shown = *port.port_->table();
  void* self = port.port_->self();
  const uint32_t joined = port.ring_->shared().joined.load(std::memory_order_acquire);
  if (joined != port.joined_) {
    if (port.joined_ % 2 == 1) shown.detached(self);
    port.joined_ = joined;
    if (joined % 2 == 1) {
      port.ring_->shared().to_child.clear();
      shown.attached(self, tick->loop);
    }
  }
  if (joined % 2 == 1) port.exchange(*tick);
}

void ChildPort::exchange(const pb_tick& tick) noexcept {
  SharedAudio& shared = ring_->shared();
  const pb_port& shown = *port_->table();
  while (shown.push_rate_hz != 0) {
    pb_frame in = frame_of(tick, shown.push_rate_hz, pcm_);
    if (!shared.to_child.pop(in)) break;
    shown.push(port_->self(), &in);
  }
  while (shown.pull_rate_hz != 0 && shared.to_parent.size() < kFramesPulledAhead) {
    pb_frame out = frame_of(tick, shown.pull_rate_hz, pcm_);
    shown.pull(port_->self(), &out);
    if (!shared.to_parent.push(out)) break;
  }
}

}  // namespace patchbay::core::isolation
