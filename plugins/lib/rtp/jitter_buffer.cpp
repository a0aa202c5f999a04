#include "rtp/jitter_buffer.h"

#include <algorithm>
#include <cstring>

namespace patchbay::lib {
namespace {

constexpr uint32_t kMask = JitterBuffer::kCapacitySamples - 1;
static_assert((JitterBuffer::kCapacitySamples & kMask) == 0);
constexpr uint32_t kFrame = JitterBuffer::kFrameSamples;
constexpr uint32_t kSamplesPerMs = 8;
constexpr uint32_t kFramesToShrink = 100;  // 2 s without a late packet
constexpr uint32_t kLateToResync = 4;      // this many in a row mean that the sender's timestamps jumped back
constexpr uint32_t kMaxBurst =
    4 * kFrame;  // beyond the maximum delay; further ahead, the timestamps have jumped

}  // namespace

JitterBuffer::JitterBuffer(const Options& options) noexcept
    : min_(std::clamp<uint32_t>(options.min_delay_ms, 20, 200) * kSamplesPerMs),
      max_(std::max(min_, std::clamp<uint32_t>(options.max_delay_ms, 20, 200) * kSamplesPerMs)),
      target_(min_) {}

void JitterBuffer::restart() noexcept {
  running_ = false;
  valid_.fill(0);
}

void JitterBuffer::begin_at(uint32_t timestamp) noexcept {
  valid_.fill(0);
  running_ = true;
  play_ = timestamp - target_;
  end_ = timestamp;
  hold_ = 0;
  played_ = false;
  late_in_a_row_ = 0;
  frames_since_change_ = 0;
  lowest_depth_ = static_cast<int32_t>(kCapacitySamples);
}

void JitterBuffer::put(uint32_t timestamp, const int16_t* pcm, size_t samples) noexcept {
  if (samples == 0 || samples > kCapacitySamples / 4) return;
  const auto count = static_cast<uint32_t>(samples);
  if (!running_) begin_at(timestamp);
  int64_t ahead = static_cast<int32_t>(timestamp - play_);  // 64 bits, so that sums do not overflow
  if (ahead + count <= 0) {
    on_late(timestamp, static_cast<uint32_t>(-ahead));
    ahead = static_cast<int32_t>(timestamp - play_);
    if (ahead + count <= 0) return;
  }
  if (ahead > int64_t{max_} + kMaxBurst) {
    ++stats_.resyncs;
    begin_at(timestamp);
    ahead = target_;
  }
  late_in_a_row_ = 0;
  // Skips the samples before the playout point; the rest of the packet can still be played.
  const uint32_t skip = ahead < 0 ? static_cast<uint32_t>(-ahead) : 0;
  for (uint32_t i = skip; i < count; ++i) {
    samples_[(timestamp + i) & kMask] = pcm[i];
    valid_[(timestamp + i) & kMask] = 1;
  }
  if (static_cast<int32_t>(timestamp + count - end_) > 0) end_ = timestamp + count;
}

void JitterBuffer::on_late(uint32_t timestamp, uint32_t late_by) noexcept {
  ++stats_.late_packets;
  if (++late_in_a_row_ >= kLateToResync) {
    ++stats_.resyncs;
    begin_at(timestamp);
    return;
  }
  // Ignores packets later than the maximum delay, because a longer delay could not save them.
  if (hold_ == 0 && target_ + kFrame <= max_ && late_by <= max_) {
    target_ += kFrame;
    hold_ = kFrame;
    frames_since_change_ = 0;
  }
}

bool JitterBuffer::get(int16_t* pcm) noexcept {
  if (!running_) {
    std::memset(pcm, 0, kFrame * sizeof(int16_t));
    return false;
  }
  if (hold_ > 0) {
    hold_ = 0;
    conceal(pcm);
    return false;
  }
  adapt();
  const bool received = copy_frame(pcm);
  play_ += kFrame;
  return received;
}

// Copies the received samples of the frame at play_ and clears them; fills holes from the concealed frame.
bool JitterBuffer::copy_frame(int16_t* pcm) noexcept {
  uint32_t have = 0;
  for (uint32_t i = 0; i < kFrame; ++i) have += valid_[(play_ + i) & kMask];
  if (have == 0) {
    conceal(pcm);
    return false;
  }
  if (have < kFrame) conceal(pcm);
  for (uint32_t i = 0; i < kFrame; ++i) {
    const uint32_t at = (play_ + i) & kMask;
    if (valid_[at] != 0) pcm[i] = samples_[at];
    valid_[at] = 0;
  }
  played_ = true;
  concealed_before_ = false;
  std::memcpy(last_.data(), pcm, sizeof(last_));
  return true;
}

void JitterBuffer::conceal(int16_t* pcm) noexcept {
  if (played_) ++stats_.concealed_frames;  // the initial delay is not a loss
  if (concealed_before_) {
    std::memset(pcm, 0, kFrame * sizeof(int16_t));
    return;
  }
  for (uint32_t i = 0; i < kFrame; ++i)
    pcm[i] = static_cast<int16_t>(last_[i] * static_cast<int32_t>(kFrame - i) / static_cast<int32_t>(kFrame));
  concealed_before_ = true;
}

// Drops one frame when for two seconds the buffer held at least one more than it needed, because the jitter
// fell or the sender's clock runs faster than ours.
void JitterBuffer::adapt() noexcept {
  const int32_t now = depth();
  if (now <= 0) {
    frames_since_change_ = 0;
    lowest_depth_ = static_cast<int32_t>(kCapacitySamples);
    return;
  }
  lowest_depth_ = std::min(lowest_depth_, now);
  if (++frames_since_change_ < kFramesToShrink) return;
  if (lowest_depth_ > static_cast<int32_t>(min_ + kFrame)) {
    for (uint32_t i = 0; i < kFrame; ++i) valid_[(play_ + i) & kMask] = 0;
    play_ += kFrame;
    target_ = std::max(min_, target_ - kFrame);
  }
  frames_since_change_ = 0;
  lowest_depth_ = static_cast<int32_t>(kCapacitySamples);
}

}  // namespace patchbay::lib
