#include "isolation/media/shared_port.h"

#include <utility>

namespace patchbay::core::isolation {
namespace {

void give_silence(pb_frame& out) noexcept {
  out.flags |= PB_FRAME_SILENCE;
  out.samples = 0;
}

}  // namespace

SharedPort::SharedPort(const Host& host, std::unique_ptr<Ring> ring, Bell bell, const PortKind& kind)
    : host_(host),
      ring_(std::move(ring)),
      bell_(std::move(bell)),
      table_{sizeof(pb_port),
             kind.pull_rate_hz,
             kind.push_rate_hz,
             0,
             &attached,
             &pull,
             &push,
             &detached,
             kind.can_stream ? &stream_to : nullptr,
             kind.push_flags,
             0},
      watch_(kind.can_stream ? host.media->watch_open(host.self, bell_.fd(), &SharedPort::on_bell, this)
                             : 0) {}

void SharedPort::close_bell() {
  if (watch_ == 0 || std::exchange(is_bell_closed_, true)) return;
  uses_.fetch_add(1);
  host_.media->watch_close(host_.self, watch_, &SharedPort::release, this);
}

void SharedPort::end(std::unique_ptr<SharedPort> port) {
  port->close_bell();
  release(port.release());
}

void SharedPort::release(void* self) noexcept {
  if (of(self).uses_.fetch_sub(1) == 1) delete &of(self);
}

void SharedPort::attached(void* self, uint32_t) noexcept {
  SharedAudio& shared = of(self).shared();
  shared.to_parent.clear();
  shared.joined.fetch_add(1, std::memory_order_release);
}

void SharedPort::pull(void* self, pb_frame* out) noexcept {
  SharedPort& port = of(self);
  port.bells_ = 0;
  port.passed_ = 0;
  port.last_tick_ = out->tick;
  if (port.sink_ != nullptr && !port.is_listening_) port.listen(true);
  if ((port.sink_flags_ & PB_PORT_UNPACED) != 0) {
    port.pass_frames(out->tick, out->time_ns);
    return give_silence(*out);
  }
  if (port.shared().to_parent.pop(*out) && (out->flags & PB_FRAME_SILENCE) == 0) return;
  port.is_ahead_ = false;
  give_silence(*out);
}

void SharedPort::push(void* self, const pb_frame* in) noexcept {
  SharedPort& port = of(self);
  port.shared().to_child.push(*in);
  if (port.table_.push_flags != 0) port.bell_.ring(port.shared().rung_at_child);
}

void SharedPort::detached(void* self) noexcept {
  SharedPort& port = of(self);
  stream_to(self, 0, nullptr, nullptr);
  port.shared().joined.fetch_add(1, std::memory_order_release);
}

int32_t SharedPort::stream_to(void* self, uint32_t flags, pb_frame_fn sink, void* user) noexcept {
  SharedPort& port = of(self);
  port.sink_ = sink;
  port.sink_user_ = user;
  port.sink_flags_ = sink != nullptr ? flags : 0;
  port.is_ahead_ = false;
  port.listen(sink != nullptr);
  if (port.shared().streams.exchange(port.sink_flags_, std::memory_order_release) != port.sink_flags_)
    port.bell_.ring(port.shared().rung_at_child);
  return sink != nullptr ? 1 : 0;
}

// Without a watch, frames are passed at each tick.
void SharedPort::listen(bool on) noexcept {
  is_listening_ =
      watch_ != 0 && host_.media->watch_set(host_.self, watch_, on ? PB_READY_READ : 0) == PB_OK && on;
}

// A child may ring without end, so what it rings beyond the limit waits for the next tick.
void SharedPort::on_bell(void* self, const pb_ready* ready) noexcept {
  SharedPort& port = of(self);
  if (!port.bell_.answer(port.shared().rung_at_parent)) {
    port.bells_ = 0;
    return port.listen(false);
  }
  port.pass_frames(port.last_tick_, ready->time_ns);
  if (++port.bells_ >= kMaxBellsPerTick) port.listen(false);
}

// No more than a ring holds for each tick. With PB_PORT_EARLY only a frame that the child's port has passed
// on, if it comes next.
void SharedPort::pass_frames(int64_t tick, int64_t time_ns) noexcept {
  SharedQueue& frames = shared().to_parent;
  const bool are_unpaced = (sink_flags_ & PB_PORT_UNPACED) != 0;
  for (; passed_ < kMaxRingFrames && sink_ != nullptr; ++passed_) {
    if (!are_unpaced && (is_ahead_ || !frames.is_early())) return;
    pb_frame frame{};
    frame.size = sizeof frame;
    frame.tick = tick;
    frame.time_ns = time_ns;
    frame.rate_hz = table_.pull_rate_hz;
    frame.capacity = table_.pull_rate_hz / 1000 * PB_TICK_MS;
    frame.pcm = pcm_;
    if (!frames.pop(frame)) return;
    is_ahead_ = true;
    sink_(sink_user_, &frame);
  }
}

}  // namespace patchbay::core::isolation
