#include "resampler/polyphase_filter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <mutex>

namespace patchbay::lib {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kBeta = 9.4;      // of the Kaiser window: stop band at -94 dB
constexpr double kCutoff = 0.925;  // of half the lower rate, where the response is at -6 dB

// The modified Bessel function of the first kind and order 0, because libc++ lacks std::cyl_bessel_i.
double bessel_i0(double x) {
  double sum = 1;
  double term = 1;
  for (int k = 1; term > sum * 1e-12; ++k) {
    term *= (x / 2 / k) * (x / 2 / k);
    sum += term;
  }
  return sum;
}

// A low-pass filter for the rate that is `factor` times the lower rate: a sinc with a Kaiser window.
std::vector<double> low_pass(size_t factor) {
  std::vector<double> out(PolyphaseFilter::kLength * factor);
  const double centre = static_cast<double>(out.size() - 1) / 2;
  for (size_t i = 0; i < out.size(); ++i) {
    const double distance = static_cast<double>(i) - centre;
    const double phase = kPi * kCutoff * distance / static_cast<double>(factor);
    const double edge = distance / (centre + 1);
    const double window = bessel_i0(kBeta * std::sqrt(1 - edge * edge)) / bessel_i0(kBeta);
    out[i] = (distance == 0 ? 1 : std::sin(phase) / phase) * window;
  }
  return out;
}

}  // namespace

PolyphaseFilter::PolyphaseFilter(uint32_t up, uint32_t down) : up_(up), down_(down), taps_(up) {
  const std::vector<double> prototype = low_pass(std::max(up, down));
  for (uint32_t phase = 0; phase < up; ++phase) {
    // Output `phase` of a group lies at phase * down of the rate that is `up` times the input's, where only
    // every up-th sample is not zero. Input 0 is the first of the same group.
    const uint32_t at = phase * down;
    double sum = 0;
    for (size_t i = at % up; i < prototype.size(); i += up) sum += prototype[i];
    for (size_t i = at % up; i < prototype.size(); i += up) {
      const int input = (static_cast<int>(at) - static_cast<int>(i)) / static_cast<int>(up);
      // Not negative: the group of `input`, counted from the first in the buffer.
      const size_t shifted = static_cast<size_t>(input + static_cast<int>(kLength * down));
      taps_[phase].push_back({static_cast<uint32_t>(shifted % down * kStride + shifted / down),
                              static_cast<float>(prototype[i] / sum)});
    }
    std::reverse(taps_[phase].begin(), taps_[phase].end());
  }
}

const PolyphaseFilter* PolyphaseFilter::find(uint32_t up, uint32_t down) {
  if (up == 0 || down == 0 || up > kMaxFactor || down > kMaxFactor) return nullptr;
  static std::array<std::unique_ptr<const PolyphaseFilter>, size_t{kMaxFactor + 1} * (kMaxFactor + 1)>
      filters;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  auto& filter = filters[size_t{up} * (kMaxFactor + 1) + down];
  if (!filter) filter.reset(new PolyphaseFilter(up, down));
  return filter.get();
}

}  // namespace patchbay::lib
