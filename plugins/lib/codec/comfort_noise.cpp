#include "codec/comfort_noise.h"

#include <algorithm>
#include <cmath>

namespace patchbay::lib {
namespace {

constexpr float kOverload = 32768;
constexpr float kStep = 258.0F / 32768.0F;  // RFC 3389 section 3: k = 258 * (N - 127) / 32768
constexpr int kZero = 127;
constexpr int kReserved = 255;
constexpr uint8_t kMaxLevel = 127;

float quantised(float reflection) noexcept {
  return static_cast<float>(std::clamp<long>(std::lrintf(reflection / kStep), -kZero, kZero)) * kStep;
}

}  // namespace

std::optional<NoiseDescription> read_comfort_noise(const uint8_t* payload, size_t bytes) noexcept {
  if (bytes == 0) return std::nullopt;
  NoiseDescription noise;
  noise.level = payload[0] & 0x7F;
  noise.order = std::min(bytes - 1, NoiseDescription::kMaxOrder);
  for (size_t i = 0; i < noise.order; ++i) {
    if (payload[i + 1] == kReserved) {
      noise.order = i;
      break;
    }
    noise.reflection[i] = static_cast<float>(payload[i + 1] - kZero) * kStep;
  }
  return noise;
}

size_t write_comfort_noise(const NoiseDescription& noise, uint8_t* out, size_t capacity) noexcept {
  if (capacity < noise.order + 1) return 0;
  out[0] = std::min(noise.level, kMaxLevel);
  for (size_t i = 0; i < noise.order; ++i)
    out[i + 1] = static_cast<uint8_t>(
        std::clamp<long>(std::lrintf(noise.reflection[i] / kStep), -kZero, kZero) + kZero);
  return noise.order + 1;
}

// Level from the mean square, spectrum by the Levinson recursion.
NoiseDescription describe_noise(const int16_t* pcm, size_t samples, size_t order) noexcept {
  NoiseDescription noise;
  std::array<double, NoiseDescription::kMaxOrder + 1> correlation{};
  const size_t wanted = std::min(order, NoiseDescription::kMaxOrder);
  for (size_t lag = 0; lag <= wanted; ++lag)
    for (size_t i = lag; i < samples; ++i) correlation[lag] += static_cast<double>(pcm[i]) * pcm[i - lag];
  if (samples == 0 || correlation[0] <= 0) return noise;
  const double rms =
      std::sqrt(correlation[0] / static_cast<double>(samples)) / static_cast<double>(kOverload);
  noise.level = static_cast<uint8_t>(std::clamp<long>(std::lrint(-20 * std::log10(rms)), 0, kMaxLevel));
  std::array<double, NoiseDescription::kMaxOrder + 1> predictor{1};
  double error = correlation[0];
  for (size_t n = 1; n <= wanted && error > 0; ++n) {
    double sum = 0;
    for (size_t i = 0; i < n; ++i) sum += predictor[i] * correlation[n - i];
    const double k = -sum / error;
    auto next = predictor;
    for (size_t i = 1; i <= n; ++i) next[i] += k * predictor[n - i];
    predictor = next;
    error *= 1 - k * k;
    noise.reflection[n - 1] = quantised(static_cast<float>(k));
    noise.order = n;
  }
  return noise;
}

void NoiseGenerator::set(const NoiseDescription& noise) noexcept {
  noise_ = noise;
  float excitation = kOverload * std::pow(10.0F, -static_cast<float>(noise.level) / 20);
  // The filter raises the level of white noise by this much.
  for (size_t i = 0; i < noise.order; ++i)
    excitation *= std::sqrt(std::max(0.0F, 1 - noise.reflection[i] * noise.reflection[i]));
  gain_ = excitation;
}

// Returns uniform noise of mean square 1.
float NoiseGenerator::white() noexcept {
  random_ ^= random_ << 13;
  random_ ^= random_ >> 17;
  random_ ^= random_ << 5;
  constexpr float kRange = 3.4641016F;  // of a uniform distribution: square root of 12
  return (static_cast<float>(random_ >> 8) / static_cast<float>(1U << 24) - 0.5F) * kRange;
}

void NoiseGenerator::generate(int16_t* pcm, size_t samples) noexcept {
  for (size_t s = 0; s < samples; ++s) {
    float forward = white() * gain_;
    for (size_t i = noise_.order; i-- > 0;) {
      forward -= noise_.reflection[i] * delayed_[i];
      delayed_[i + 1] = delayed_[i] + noise_.reflection[i] * forward;
    }
    delayed_[0] = forward;
    if (!std::isfinite(forward)) delayed_.fill(forward = 0);
    pcm[s] = static_cast<int16_t>(std::lrintf(std::clamp(forward, -32768.0F, 32767.0F)));
  }
}

}  // namespace patchbay::lib
