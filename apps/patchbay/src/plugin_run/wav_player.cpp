#include "plugin_run/wav_player.h"

#include <algorithm>
#include <array>
#include <utility>

#include "resampler/resampler.h"

namespace patchbay::app {
namespace {

constexpr size_t kMaxSamples = 192 * PB_TICK_MS;

pb_frame frame_of(int16_t* pcm, uint32_t rate_hz, const pb_tick& tick) noexcept {
  pb_frame frame{};
  frame.size = sizeof frame;
  frame.tick = tick.number;
  frame.time_ns = tick.time_ns;
  frame.rate_hz = rate_hz;
  frame.capacity = rate_hz / 1000 * PB_TICK_MS;
  frame.pcm = pcm;
  return frame;
}

Result<std::vector<int16_t>> at_rate(const Wav& wav, uint32_t rate_hz) {
  PB_TRY_VALUE(lib::Resampler resampler, lib::Resampler::create(wav.rate_hz, rate_hz));
  return resampler.process(wav.samples);
}

}  // namespace

Result<std::unique_ptr<WavPlayer>> WavPlayer::start(const Host& host, Handle port, const Wav& wav,
                                                    int64_t tail_ms) {
  const pb_port* table = nullptr;
  void* self = nullptr;
  const uint64_t opening = host.media->port_open(host.self, port.id, &table, &self);
  if (opening == 0) return {Code::gone, "the port is gone"};
  std::unique_ptr<WavPlayer> player(new WavPlayer(host, table, self, opening));
  if (std::max(table->push_rate_hz, table->pull_rate_hz) > 192000)
    return {Code::unsupported, "the port's rate is above 192 kHz"};
  if (table->push_rate_hz != 0) {
    PB_TRY_VALUE(player->to_play_, at_rate(wav, table->push_rate_hz));
  }
  const auto wav_ms = static_cast<int64_t>(wav.samples.size() * 1000 / wav.rate_hz);
  player->ticks_left_ = (wav_ms + tail_ms) / PB_TICK_MS + 1;
  player->recorded_.resize(static_cast<size_t>(player->ticks_left_) *
                           (table->pull_rate_hz / 1000 * PB_TICK_MS));
  player->attachment_ = host.media->attach(host.self, PB_LOOP_ANY, &WavPlayer::tick, player.get());
  if (player->attachment_ == 0) return {Code::failed, "no media loop took the port"};
  return player;
}

WavPlayer::~WavPlayer() {
  if (attachment_ != 0) host_.media->detach(host_.self, attachment_, &WavPlayer::on_detached, this);
  if (attachment_ != 0) detached_.acquire();
  host_.media->port_release(host_.self, opening_);
}

void WavPlayer::tick(void* user, const pb_tick* tick) noexcept {
  auto& self = *static_cast<WavPlayer*>(user);
  if (self.finished_.load(std::memory_order_relaxed)) return;
  if (!std::exchange(self.attached_, true)) self.table_->attached(self.self_, tick->loop);
  self.play(*tick);
  self.record(*tick);
  if (--self.ticks_left_ > 0) return;
  self.table_->detached(self.self_);
  self.finished_.store(true, std::memory_order_release);
}

// [media] The loop's last access to this object.
void WavPlayer::on_detached(void* user) noexcept {
  auto& self = *static_cast<WavPlayer*>(user);
  if (self.attached_ && !self.finished_.load(std::memory_order_relaxed)) self.table_->detached(self.self_);
  self.detached_.release();
}

void WavPlayer::play(const pb_tick& tick) noexcept {
  if (table_->push_rate_hz == 0) return;
  std::array<int16_t, kMaxSamples> pcm{};
  pb_frame frame = frame_of(pcm.data(), table_->push_rate_hz, tick);
  frame.samples = frame.capacity;
  const size_t count = std::min<size_t>(frame.samples, to_play_.size() - played_samples_);
  std::copy_n(to_play_.begin() + static_cast<std::ptrdiff_t>(played_samples_), count, pcm.begin());
  played_samples_ += count;
  if (count == 0) frame.flags |= PB_FRAME_SILENCE;
  table_->push(self_, &frame);
}

void WavPlayer::record(const pb_tick& tick) noexcept {
  if (table_->pull_rate_hz == 0) return;
  std::array<int16_t, kMaxSamples> pcm{};
  pb_frame frame = frame_of(pcm.data(), table_->pull_rate_hz, tick);
  table_->pull(self_, &frame);
  // Silence is recorded as zeros.
  const bool silent = (frame.flags & PB_FRAME_SILENCE) != 0;
  const size_t count =
      std::min<size_t>(silent ? frame.capacity : frame.samples, recorded_.size() - recorded_samples_);
  if (!silent)
    std::copy_n(pcm.begin(), count, recorded_.begin() + static_cast<std::ptrdiff_t>(recorded_samples_));
  recorded_samples_ += count;
}

}  // namespace patchbay::app
