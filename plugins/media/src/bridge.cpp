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

pb_frame frame_of(const pb_tick& tick, uint32_t rate_hz, int16_t* pcm) noexcept {
  pb_frame frame{};
  frame.size = sizeof frame;
  frame.tick = tick.number;
  frame.time_ns = tick.time_ns;
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
  }
  transfer(bridge->a_, bridge->b_, *tick);
  transfer(bridge->b_, bridge->a_, *tick);
}

void Bridge::transfer(Side& from, Side& to, const pb_tick& tick) noexcept {
  const uint32_t pull_hz = from.port->pull_rate_hz;
  const uint32_t push_hz = to.port->push_rate_hz;
  if (pull_hz == 0 || push_hz == 0) return;
  pb_frame pulled = frame_of(tick, pull_hz, from.pulled.data());
  from.port->pull(from.self, &pulled);
  // Missing samples are silence, because a short frame would shift the stream.
  const uint32_t delivered =
      (pulled.flags & PB_FRAME_SILENCE) != 0 ? 0 : std::min(pulled.samples, pulled.capacity);
  std::memset(from.pulled.data() + delivered, 0, (pulled.capacity - delivered) * sizeof(int16_t));

  pb_frame pushed = frame_of(tick, push_hz, from.converted.data());
  pushed.flags = pulled.flags;
  const uint32_t written =
      from.to_other->process(from.pulled.data(), pulled.capacity, from.converted.data(), pushed.capacity);
  std::memset(from.converted.data() + written, 0, (pushed.capacity - written) * sizeof(int16_t));
  pushed.samples = pushed.capacity;
  to.port->push(to.self, &pushed);
}

}  // namespace patchbay::media
