#include "codec/concealment.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace patchbay::lib {
namespace {

constexpr size_t kMinPitchMs = 5;  // 200 Hz; higher voices and tones have a multiple of their period above
constexpr size_t kMaxPitchMs = 15;
constexpr size_t kWindowMs = 20;
constexpr size_t kBlendMs = 5;
constexpr size_t kHoldMs = 10;  // full level
constexpr size_t kFadeMs = 50;  // then down to silence
// A shorter period has to be nearly as good as a multiple of it.
constexpr float kShortestBonus = 1.0001F;

int16_t clip(float value) noexcept {
  return static_cast<int16_t>(std::lrintf(std::clamp(value, -32768.0F, 32767.0F)));
}

}  // namespace

Concealment::Concealment(uint32_t rate_hz) noexcept : per_ms_(std::clamp(rate_hz, 8000U, kMaxHz) / 1000) {}

void Concealment::received(int16_t* pcm, size_t samples) noexcept {
  if (lost_ > 0) {
    const size_t blend = std::min(samples, kBlendMs * per_ms_);
    for (size_t i = 0; i < blend; ++i) {
      const float weight = static_cast<float>(i + 1) / static_cast<float>(blend + 1);
      pcm[i] = clip(pcm[i] * weight + next() * (1 - weight));
    }
    lost_ = 0;
  }
  remember(pcm, samples);
}

void Concealment::conceal(int16_t* pcm, size_t samples) noexcept {
  if (lost_ == 0) begin();
  for (size_t i = 0; i < samples; ++i) pcm[i] = next();
  remember(pcm, samples);
}

// Takes the last period; its end goes over into what preceded it, so that it repeats without a step.
void Concealment::begin() noexcept {
  pitch_ = find_pitch();
  const int16_t* end = history_.data() + kHistory;
  const size_t overlap = pitch_ / 4;
  for (size_t i = 0; i < pitch_; ++i)
    period_[i] = end[static_cast<ptrdiff_t>(i) - static_cast<ptrdiff_t>(pitch_)];
  for (size_t i = 0; i < overlap; ++i) {
    const float weight = static_cast<float>(i + 1) / static_cast<float>(overlap + 1);
    const float before = end[static_cast<ptrdiff_t>(i) - static_cast<ptrdiff_t>(pitch_ + overlap)];
    float& sample = period_[pitch_ - overlap + i];
    sample = sample * (1 - weight) + before * weight;
  }
  step_ = static_cast<float>(end[-1]) - static_cast<float>(end[-1 - static_cast<ptrdiff_t>(pitch_)]);
}

// Returns the lag with the greatest normalised correlation. At 16 kHz every second sample is enough.
size_t Concealment::find_pitch() const noexcept {
  const size_t window = kWindowMs * per_ms_;
  const size_t stride = per_ms_ / 8;
  const int16_t* recent = history_.data() + kHistory - window;
  size_t best = kMaxPitchMs * per_ms_;
  float best_score = 0;
  for (size_t lag = kMaxPitchMs * per_ms_; lag >= kMinPitchMs * per_ms_; --lag) {
    const int16_t* earlier = recent - lag;
    float correlation = 0;
    float energy = 1;
    for (size_t i = 0; i < window; i += stride) {
      const auto sample = static_cast<float>(earlier[i]);
      correlation += static_cast<float>(recent[i]) * sample;
      energy += sample * sample;
    }
    const float score = correlation / std::sqrt(energy);
    if (score * kShortestBonus > best_score) {
      best_score = std::max(score, best_score);
      best = lag;
    }
  }
  return best;
}

int16_t Concealment::next() noexcept {
  const size_t faded = lost_ > kHoldMs * per_ms_ ? lost_ - kHoldMs * per_ms_ : 0;
  const size_t fade = kFadeMs * per_ms_;
  const size_t smooth = pitch_ / 4;
  float value = period_[lost_ % pitch_];
  if (lost_ < smooth) value += step_ * static_cast<float>(smooth - lost_) / static_cast<float>(smooth + 1);
  ++lost_;
  return faded >= fade ? int16_t{0}
                       : clip(value * static_cast<float>(fade - faded) / static_cast<float>(fade));
}

void Concealment::remember(const int16_t* pcm, size_t samples) noexcept {
  const size_t kept = std::min(samples, kHistory);
  std::memmove(history_.data(), history_.data() + kept, (kHistory - kept) * sizeof(int16_t));
  std::memcpy(history_.data() + kHistory - kept, pcm + samples - kept, kept * sizeof(int16_t));
}

}  // namespace patchbay::lib
