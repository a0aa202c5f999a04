#include "rtp/silence_suppressor.h"

#include <algorithm>
#include <cstdlib>

namespace patchbay::lib {

SilenceSuppressor::Send SilenceSuppressor::next(const int16_t* pcm, size_t samples, uint32_t ms) noexcept {
  const bool is_silent =
      std::all_of(pcm, pcm + samples, [](int16_t sample) { return std::abs(int{sample}) <= kSilentPeak; });
  if (!is_silent) restart();
  if (!is_silent || silent_ms_ < kHangoverMs) {
    if (is_silent) silent_ms_ += ms;
    since_noise_ms_ = kRepeatMs;
    return Send::frame;
  }
  since_noise_ms_ += ms;
  if (since_noise_ms_ < kRepeatMs) return Send::nothing;
  since_noise_ms_ = 0;
  noise_ = describe_noise(pcm, samples, 0);
  return Send::noise;
}

}  // namespace patchbay::lib
