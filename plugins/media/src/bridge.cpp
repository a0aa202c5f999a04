#include "bridge.h"

#include <patchbay/strand.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace patchbay::media {
namespace {

constexpr uint32_t samples_of(uint32_t rate_hz) { return rate_hz / 1000 * PB_TICK_MS; }
constexpr bool known_rate(uint32_t rate_hz) {
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
  if (side.opening == 0) return {Code::not_found, "the port is gone"};
  if (!known_rate(side.port->pull_rate_hz) || !known_rate(side.port->push_rate_hz)) {
    return {Code::invalid, "the port's rate is not 8, 16, 24, 32 or 48 kHz"};
  }
  return {};
}

Status Bridge::connect(Side& from, const Side& to) {
  if (from.port->pull_rate_hz == 0 || to.port->push_rate_hz == 0) return {};
  from.to_other = lib::Resampler::create(from.port->pull_rate_hz, to.port->push_rate_hz);
  return from.to_other ? Status() : from.to_other.error();
}

Result<std::unique_ptr<Bridge>> Bridge::start(const Host& host, Handle a, Handle b) {
  std::unique_ptr<Bridge> join(new Bridge(host));
  PB_TRY(join->open(join->a_, a));
  PB_TRY(join->open(join->b_, b));
  PB_TRY(connect(join->a_, join->b_));
  PB_TRY(connect(join->b_, join->a_));
  join->attachment_ = host.media->attach(host.self, PB_LOOP_ANY, &Bridge::tick, join.get());
  if (join->attachment_ == 0) return {Code::failed, "no media loop"};
  return join;
}

Bridge::~Bridge() {
  if (a_.opening != 0) host_.media->port_release(host_.self, a_.opening);
  if (b_.opening != 0) host_.media->port_release(host_.self, b_.opening);
}

void Bridge::end(Function<void()> done) {
  done_ = std::move(done);
  host_.media->detach(host_.self, std::exchange(attachment_, 0), &Bridge::detached, this);
}

void Bridge::detached(void* self) noexcept {
  auto* join = static_cast<Bridge*>(self);
  if (join->attached_) {
    join->a_.port->detached(join->a_.self);
    join->b_.port->detached(join->b_.self);
  }
  join->host_.runtime->strand_post(
      join->host_.self, kMainStrand,
      [](void* raw) noexcept {
        auto* ended = static_cast<Bridge*>(raw);
        const Function<void()> done = std::move(ended->done_);
        done();
      },
      join);
}

void Bridge::tick(void* self, const pb_tick* tick) noexcept {
  auto* join = static_cast<Bridge*>(self);
  if (!join->attached_) {
    join->attached_ = true;
    join->a_.port->attached(join->a_.self, tick->loop);
    join->b_.port->attached(join->b_.self, tick->loop);
  }
  carry(join->a_, join->b_, *tick);
  carry(join->b_, join->a_, *tick);
}

void Bridge::carry(Side& from, Side& to, const pb_tick& tick) noexcept {
  const uint32_t pull_hz = from.port->pull_rate_hz;
  const uint32_t push_hz = to.port->push_rate_hz;
  if (pull_hz == 0 || push_hz == 0) return;
  pb_frame pulled = frame_of(tick, pull_hz, from.pulled.data());
  from.port->pull(from.self, &pulled);
  // What the port left out is silence: the stream keeps its pace whatever a port does.
  const uint32_t given =
      (pulled.flags & PB_FRAME_SILENCE) != 0 ? 0 : std::min(pulled.samples, pulled.capacity);
  std::memset(from.pulled.data() + given, 0, (pulled.capacity - given) * sizeof(int16_t));

  pb_frame pushed = frame_of(tick, push_hz, from.converted.data());
  pushed.flags = pulled.flags;
  const uint32_t made =
      from.to_other->process(from.pulled.data(), pulled.capacity, from.converted.data(), pushed.capacity);
  std::memset(from.converted.data() + made, 0, (pushed.capacity - made) * sizeof(int16_t));
  pushed.samples = pushed.capacity;
  to.port->push(to.self, &pushed);
}

}  // namespace patchbay::media
