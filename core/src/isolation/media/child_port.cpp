#include "isolation/media/child_port.h"

#include <algorithm>

#include "isolation/child_host.h"
#include "isolation/limits.h"

namespace patchbay::core::isolation {
namespace {

pb_frame frame_of(int64_t tick, int64_t time_ns, uint32_t rate_hz, int16_t* pcm) {
  pb_frame frame{};
  frame.size = sizeof frame;
  frame.tick = tick;
  frame.time_ns = time_ns;
  frame.rate_hz = rate_hz;
  frame.capacity = std::min(rate_hz / 1000 * PB_TICK_MS, kMaxSamples);
  frame.pcm = pcm;
  return frame;
}

}  // namespace

// Without a watch, everything waits for the next tick.
void ChildPort::begin(void* host, const pb_media& media) {
  watch_ = media.watch_open(host, bell_.fd(), &ChildPort::on_bell, this);
  attachment_ = media.attach(host, PB_LOOP_ANY, &ChildPort::tick, this);
}

void ChildPort::end() {
  port_->close([](void* raw) { static_cast<ChildPort*>(raw)->leave_loop(); }, this);
}

void ChildPort::leave_loop() noexcept {
  ChildHost& host = ChildHost::get();
  child_media().detach(
      &host.context(), attachment_, [](void* raw) noexcept { static_cast<ChildPort*>(raw)->left_loop(); },
      this);
}

void ChildPort::left_loop() noexcept {
  end_stream();
  if (joined_ % 2 == 1) port_->table()->detached(port_->self());
  const auto end = [](void* raw) noexcept {
    Task& last = static_cast<ChildPort*>(raw)->last_;
    if (!ChildHost::get().context().main_strand()->push(last)) last.run(last);
  };
  if (watch_ == 0) return end(this);
  child_media().watch_close(&ChildHost::get().context(), watch_, end, this);
}

void ChildPort::Last::tell(Task& task) noexcept {
  const std::unique_ptr<ChildPort> owned(&static_cast<Last&>(task).of);
  if (owned->done != nullptr) owned->done(owned->user);
}

void ChildPort::tick(void* raw, const pb_tick* tick) noexcept {
  auto& port = *static_cast<ChildPort*>(raw);
  port.last_tick_ = tick->number;
  if (!port.is_watched_ && port.watch_ != 0)
    port.is_watched_ =
        child_media().watch_set(&ChildHost::get().context(), port.watch_, PB_READY_READ) == PB_OK;
  port.follow(tick->loop);
  if (port.joined_ % 2 == 0) return;
  port.push_received(tick->time_ns);
  port.pull_ahead(tick->time_ns);
}

// The server has joined or left the port, wants frames between ticks, or has pushed one.
void ChildPort::on_bell(void* raw, const pb_ready* ready) noexcept {
  auto& port = *static_cast<ChildPort*>(raw);
  if (!port.bell_.answer(port.ring_->shared().rung_at_child))
    static_cast<void>(child_media().watch_set(&ChildHost::get().context(), port.watch_, 0));
  port.follow(ready->loop);
  if (port.joined_ % 2 == 1) port.push_received(ready->time_ns);
}

void ChildPort::follow(uint32_t loop) noexcept {
  SharedAudio& shared = ring_->shared();
  const pb_port& shown = *port_->table();
  const uint32_t joined = shared.joined.load(std::memory_order_acquire);
  if (joined != joined_) {
    end_stream();
    if (joined_ % 2 == 1) shown.detached(port_->self());
    joined_ = joined;
    if (joined % 2 == 1) {
      shared.to_child.clear();
      shown.attached(port_->self(), loop);
    }
  }
  const uint32_t wanted = shared.streams.load(std::memory_order_acquire);
  if (joined_ % 2 == 0 || wanted == wanted_) return;
  end_stream();
  wanted_ = wanted;
  if (wanted == 0 || !PB_HAS(&shown, stream_to)) return;
  streams_ = wanted;  // before, because the port may pass a frame at once
  if (shown.stream_to(port_->self(), wanted, &ChildPort::pass_frame, this) == 0) streams_ = 0;
}

void ChildPort::end_stream() noexcept {
  if (streams_ != 0) static_cast<void>(port_->table()->stream_to(port_->self(), 0, nullptr, nullptr));
  streams_ = wanted_ = 0;
}

void ChildPort::pass_frame(void* raw, const pb_frame* frame) noexcept {
  auto& port = *static_cast<ChildPort*>(raw);
  if (port.streams_ != 0) port.send_early(*frame);
}

void ChildPort::send_early(pb_frame frame) noexcept {
  frame.flags |= kEarlyFrame;
  SharedAudio& shared = ring_->shared();
  if (shared.to_parent.push(frame)) bell_.ring(shared.rung_at_parent);
}

void ChildPort::push_received(int64_t time_ns) noexcept {
  const pb_port& shown = *port_->table();
  while (shown.push_rate_hz != 0) {
    pb_frame in = frame_of(last_tick_, time_ns, shown.push_rate_hz, pcm_);
    if (!ring_->shared().to_child.pop(in)) break;
    shown.push(port_->self(), &in);
  }
}

// Of a port without a stream that the server takes between ticks, one frame per tick. Silence is not queued
// otherwise: an empty ring is silence, too, and the audio after it would wait behind what was queued.
void ChildPort::pull_ahead(int64_t time_ns) noexcept {
  SharedAudio& shared = ring_->shared();
  const pb_port& shown = *port_->table();
  const bool are_unpaced = (wanted_ & PB_PORT_UNPACED) != 0;
  while (shown.pull_rate_hz != 0 && (are_unpaced || shared.to_parent.size() < kFramesPulledAhead)) {
    pb_frame out = frame_of(last_tick_, time_ns, shown.pull_rate_hz, pcm_);
    shown.pull(port_->self(), &out);
    if (are_unpaced) {
      if (streams_ == 0) send_early(out);
      return;
    }
    if ((out.flags & PB_FRAME_SILENCE) != 0 || !shared.to_parent.push(out)) return;
  }
}

}  // namespace patchbay::core::isolation
