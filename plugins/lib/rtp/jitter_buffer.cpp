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

// Calls run(index, done, size) for each of the at most two continuous parts of a range of the ring. `done`:
// the samples before the part.
template <class Run>
void for_each_run(uint32_t timestamp, uint32_t count, Run run) {
  for (uint32_t done = 0; done < count;) {
    const uint32_t index = (timestamp + done) & kMask;
    const uint32_t size = std::min<uint32_t>(count - done, JitterBuffer::kCapacitySamples - index);
    run(index, done, size);
    done += size;
  }
}

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
  for_each_run(timestamp + skip, count - skip, [&](uint32_t index, uint32_t done, uint32_t size) {
    std::memcpy(&samples_[index], pcm + skip + done, size * sizeof(int16_t));
    std::memset(&valid_[index], 1, size);
  });
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
  bool any = false;
  bool all = true;
  for_each_run(play_, kFrame, [&](uint32_t index, uint32_t, uint32_t size) {
    any = any || std::memchr(&valid_[index], 1, size) != nullptr;
    all = all && std::memchr(&valid_[index], 0, size) == nullptr;
  });
  if (!all) conceal(pcm);
  if (!any) return false;
  for_each_run(play_, kFrame, [&](uint32_t index, uint32_t done, uint32_t size) {
    if (all) {
      std::memcpy(pcm + done, &samples_[index], size * sizeof(int16_t));
    } else {
      for (uint32_t i = 0; i < size; ++i)
        if (valid_[index + i] != 0) pcm[done + i] = samples_[index + i];
    }
    std::memset(&valid_[index], 0, size);
  });
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
    for_each_run(play_, kFrame,
                 [&](uint32_t index, uint32_t, uint32_t size) { std::memset(&valid_[index], 0, size); });
    play_ += kFrame;
    target_ = std::max(min_, target_ - kFrame);
  }
  frames_since_change_ = 0;
  lowest_depth_ = static_cast<int32_t>(kCapacitySamples);
}

}  // namespace patchbay::lib
