// Tones, and how much of received audio is the tone that was sent: its signal-to-noise ratio. Everything else
// counts as noise: gaps, steps, jumps of the phase, other sounds.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <vector>

namespace patchbay::support {

// Returns `samples` of a sine, beginning at sample `from` of it.
inline std::vector<int16_t> make_tone(double hz, uint32_t rate_hz, size_t samples, double amplitude = 8000,
                                      size_t from = 0) {
  std::vector<int16_t> pcm(samples);
  for (size_t i = 0; i < samples; ++i)
    pcm[i] = static_cast<int16_t>(std::lrint(
        amplitude * std::sin(2 * std::numbers::pi * hz * static_cast<double>(from + i) / rate_hz)));
  return pcm;
}

// Returns the ratio in dB between the sine of this frequency that fits best, of any level and phase, and the
// rest; at most 100.
inline double snr_db(const int16_t* pcm, size_t samples, double hz, uint32_t rate_hz) {
  double ss = 0, cc = 0, sc = 0, xs = 0, xc = 0, xx = 0;
  for (size_t i = 0; i < samples; ++i) {
    const double angle = 2 * std::numbers::pi * hz * static_cast<double>(i) / rate_hz;
    const double s = std::sin(angle), c = std::cos(angle), x = pcm[i];
    ss += s * s;
    cc += c * c;
    sc += s * c;
    xs += x * s;
    xc += x * c;
    xx += x * x;
  }
  const double determinant = ss * cc - sc * sc;
  if (determinant <= 0 || xx <= 0) return -100;
  const double a = (xs * cc - xc * sc) / determinant;
  const double b = (xc * ss - xs * sc) / determinant;
  const double signal = a * xs + b * xc;
  return std::clamp(10 * std::log10(std::max(signal, 1e-9) / std::max(xx - signal, 1e-9)), -100.0, 100.0);
}

inline double snr_db(const std::vector<int16_t>& pcm, double hz, uint32_t rate_hz) {
  return snr_db(pcm.data(), pcm.size(), hz, rate_hz);
}

// The same for windows of 100 ms, their mean in dB: for audio whose clock was corrected now and then by a
// frame.
inline double mean_snr_db(const std::vector<int16_t>& pcm, double hz, uint32_t rate_hz) {
  const size_t window = rate_hz / 10;
  double sum = 0;
  size_t count = 0;
  for (size_t at = 0; at + window <= pcm.size(); at += window, ++count)
    sum += snr_db(pcm.data() + at, window, hz, rate_hz);
  return count == 0 ? -100 : sum / static_cast<double>(count);
}

inline double level_db(const int16_t* pcm, size_t samples) {
  double sum = 1e-9;
  for (size_t i = 0; i < samples; ++i) sum += static_cast<double>(pcm[i]) * pcm[i];
  return 10 * std::log10(sum / static_cast<double>(samples)) - 20 * std::log10(32768.0);
}

}  // namespace patchbay::support
