#include "resampler/polyphase_filter.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <mutex>
#include <span>

#include "resampler/polyphase_coefficients.h"

namespace patchbay::lib {
namespace {

// Empty: no filter for this factor.
std::span<const float> first_half(size_t factor) {
  switch (factor) {
    case 2:
      return kLowPass2;
    case 3:
      return kLowPass3;
    case 4:
      return kLowPass4;
    case 6:
      return kLowPass6;
    default:
      return {};
  }
}

// A low-pass filter for the rate that is `factor` times the lower rate.
std::vector<double> low_pass(size_t factor) {
  const std::span<const float> half = first_half(factor);
  assert(half.size() * 2 == PolyphaseFilter::kLength * factor);
  std::vector<double> out(half.begin(), half.end());
  out.insert(out.end(), half.rbegin(), half.rend());
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
  if (up == 0 || down == 0 || first_half(std::max(up, down)).empty()) return nullptr;
  // Never freed, because a media loop that hangs may outlive main().
  using Filters = std::array<const PolyphaseFilter*, size_t{kMaxFactor + 1} * (kMaxFactor + 1)>;
  static auto& filters = *new Filters{};
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  const PolyphaseFilter*& filter = filters[size_t{up} * (kMaxFactor + 1) + down];
  if (filter == nullptr) filter = new PolyphaseFilter(up, down);
  return filter;
}

}  // namespace patchbay::lib
