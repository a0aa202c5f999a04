#include "rtp/frame_assembler.h"

#include <algorithm>

namespace patchbay::lib {
namespace {

constexpr int64_t kSilenceAfterNs = 200'000'000;  // as long as the longest jitter buffer
constexpr size_t kFrameCredit = 100;
constexpr size_t kCreditPerTick = 105;            // for a sender whose clock is fast
constexpr size_t kMaxCredit = 50 * kFrameCredit;  // a burst of 1 s, after a delay in the network

}  // namespace

void FrameAssembler::begin(uint32_t rate_hz, Sink sink, void* user) noexcept {
  frame_samples_ = rate_hz / 1000 * kFrameMs;
  sink_ = sink;
  user_ = user;
  filled_ = 0;
  concealed_ = 0;
  last_audio_ns_ = 0;
  credit_ = kMaxCredit;
}

bool FrameAssembler::takes(size_t samples) const noexcept {
  return is_active() && (filled_ + samples) / frame_samples_ * kFrameCredit <= credit_;
}

void FrameAssembler::append(const int16_t* pcm, size_t samples, int64_t now_ns) noexcept {
  if (!is_active() || samples == 0) return;
  last_audio_ns_ = now_ns;
  add(pcm, samples);
}

void FrameAssembler::append_concealed(const int16_t* pcm, size_t samples) noexcept {
  if (!is_active()) return;
  add(pcm, samples);
  concealed_ += samples;
  stats_.concealed_frames += concealed_ / frame_samples_;
  concealed_ %= frame_samples_;
}

void FrameAssembler::add(const int16_t* pcm, size_t samples) noexcept {
  while (samples > 0) {
    const size_t count = std::min(samples, frame_samples_ - filled_);
    std::copy_n(pcm, count, frame_.data() + filled_);
    filled_ += count;
    pcm += count;
    samples -= count;
    if (filled_ == frame_samples_) pass_frame();
  }
}

void FrameAssembler::pass_frame() noexcept {
  filled_ = 0;
  if (credit_ < kFrameCredit) {
    ++stats_.dropped_frames;
    return;
  }
  credit_ -= kFrameCredit;
  sink_(user_, {frame_.data(), frame_samples_, false, last_audio_ns_});
}

void FrameAssembler::tick(int64_t now_ns) noexcept {
  if (!is_active()) return;
  credit_ = std::min(credit_ + kCreditPerTick, kMaxCredit);
  if (last_audio_ns_ != 0 && now_ns - last_audio_ns_ < kSilenceAfterNs) return;
  static constexpr std::array<int16_t, kMaxFrameSamples> kSilence{};
  sink_(user_, {kSilence.data(), frame_samples_, true, now_ns});
}

}  // namespace patchbay::lib
