#include "bridge.h"

#include <patchbay/strand.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace patchbay::media {
namespace {

constexpr uint32_t samples_of(uint32_t rate_hz) { return rate_hz / 1000 * PB_TICK_MS; }
constexpr bool is_supported_rate(uint32_t rate_hz) {
  return rate_hz == 0 || rate_hz == 8000 || rate_hz == 16000 || rate_hz == 24000 || rate_hz == 32000 ||
         rate_hz == 48000;
}

pb_frame frame_of(int64_t tick, int64_t time_ns, uint32_t rate_hz, int16_t* pcm) noexcept {
  pb_frame frame{};
  frame.size = sizeof frame;
  frame.tick = tick;
  frame.time_ns = time_ns;
  frame.rate_hz = rate_hz;
  frame.capacity = samples_of(rate_hz);
  frame.pcm = pcm;
  return frame;
}

}  // namespace

Status Bridge::open(Side& side, Handle port) {
  side.opening = host_.media->port_open(host_.self, port.id, &side.port, &side.self);
  if (side.opening == 0) return {Code::not_found, "the port is closed"};
  if (!is_supported_rate(side.port->pull_rate_hz) || !is_supported_rate(side.port->push_rate_hz)) {
    return {Code::invalid, "the port's rate is not 8, 16, 24, 32 or 48 kHz"};
  }
  return {};
}

Status Bridge::create_resampler(Side& from, const Side& to) {
  if (from.port->pull_rate_hz == 0 || to.port->push_rate_hz == 0) return {};
  from.to_other = lib::Resampler::create(from.port->pull_rate_hz, to.port->push_rate_hz);
  return from.to_other ? Status() : from.to_other.error();
}

Result<std::unique_ptr<Bridge>> Bridge::start(const Host& host, Handle a, Handle b) {
  std::unique_ptr<Bridge> bridge(new Bridge(host));
  PB_TRY(bridge->open(bridge->a_, a));
  PB_TRY(bridge->open(bridge->b_, b));
  PB_TRY(create_resampler(bridge->a_, bridge->b_));
  PB_TRY(create_resampler(bridge->b_, bridge->a_));
  bridge->a_.other = &bridge->b_;
  bridge->b_.other = &bridge->a_;
  bridge->attachment_ = host.media->attach(host.self, PB_LOOP_ANY, &Bridge::tick, bridge.get());
  if (bridge->attachment_ == 0) return {Code::failed, "no media loop"};
  return bridge;
}

Bridge::~Bridge() {
  if (a_.opening != 0) host_.media->port_release(host_.self, a_.opening);
  if (b_.opening != 0) host_.media->port_release(host_.self, b_.opening);
}

void Bridge::stop(Function<void()> done) {
  stopped_ = std::move(done);
  host_.media->detach(host_.self, std::exchange(attachment_, 0), &Bridge::on_detached, this);
}

void Bridge::on_detached(void* self) noexcept {
  auto* bridge = static_cast<Bridge*>(self);
  if (bridge->attached_) {
    end_stream(bridge->a_);
    end_stream(bridge->b_);
    bridge->a_.port->detached(bridge->a_.self);
    bridge->b_.port->detached(bridge->b_.self);
  }
  bridge->host_.runtime->strand_post(
      bridge->host_.self, kMainStrand,
      [](void* raw) noexcept {
        // Moved out first, because the callback destroys the bridge.
        const Function<void()> stopped = std::move(static_cast<Bridge*>(raw)->stopped_);
        stopped();
      },
      bridge);
}

void Bridge::tick(void* self, const pb_tick* tick) noexcept {
  auto* bridge = static_cast<Bridge*>(self);
  if (!bridge->attached_) {
    bridge->attached_ = true;
    bridge->a_.port->attached(bridge->a_.self, tick->loop);
    bridge->b_.port->attached(bridge->b_.self, tick->loop);
    begin_stream(bridge->a_);
    begin_stream(bridge->b_);
  }
  transfer(bridge->a_, *tick);
  transfer(bridge->b_, *tick);
}

void Bridge::begin_stream(Side& from) noexcept {
  const uint32_t flags = push_flags_of(*from.other->port);
  if (flags == 0 || !from.to_other || !PB_HAS(from.port, stream_to)) return;
  from.is_paced = (flags & PB_PORT_UNPACED) == 0;
  from.streams = from.port->stream_to(from.self, flags, &Bridge::on_frame, &from) != 0;
}

void Bridge::end_stream(Side& from) noexcept {
  if (std::exchange(from.streams, false))
    static_cast<void>(from.port->stream_to(from.self, 0, nullptr, nullptr));
}

void Bridge::on_frame(void* side, const pb_frame* frame) noexcept {
  Side& from = *static_cast<Side*>(side);
  if (from.is_paced && std::exchange(from.is_ahead, true)) return;
  const uint32_t samples = std::min(frame->samples, samples_of(from.port->pull_rate_hz));
  if ((frame->flags & PB_FRAME_SILENCE) == 0)
    std::memcpy(from.pulled.data(), frame->pcm, samples * sizeof(int16_t));
  pb_frame passed = *frame;
  passed.samples = samples;
  pass(from, passed);
}

void Bridge::transfer(Side& from, const pb_tick& tick) noexcept {
  if (!from.to_other) return;  // one of the ports does not use this direction
  pb_frame pulled = frame_of(tick.number, tick.time_ns, from.port->pull_rate_hz, from.pulled.data());
  from.port->pull(from.self, &pulled);
  if (from.streams && !from.is_paced) return;
  if ((pulled.flags & PB_FRAME_SILENCE) != 0 && std::exchange(from.is_ahead, false)) return;
  pass(from, pulled);
}

// Converts the frame, which is in from.pulled, and pushes it to the other port.
void Bridge::pass(Side& from, const pb_frame& pulled) noexcept {
  const Side& to = *from.other;
  const uint32_t capacity = samples_of(from.port->pull_rate_hz);
  // Missing samples are silence, because a short frame would shift the stream.
  const uint32_t delivered = (pulled.flags & PB_FRAME_SILENCE) != 0 ? 0 : std::min(pulled.samples, capacity);
  std::memset(from.pulled.data() + delivered, 0, (capacity - delivered) * sizeof(int16_t));

  pb_frame pushed = frame_of(pulled.tick, pulled.time_ns, to.port->push_rate_hz, from.converted.data());
  pushed.flags = pulled.flags;
  const uint32_t written =
      from.to_other->process(from.pulled.data(), capacity, from.converted.data(), pushed.capacity);
  std::memset(from.converted.data() + written, 0, (pushed.capacity - written) * sizeof(int16_t));
  pushed.samples = pushed.capacity;
  to.port->push(to.self, &pushed);
}

}  // namespace patchbay::media
