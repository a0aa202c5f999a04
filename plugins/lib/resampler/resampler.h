// Resampler: converts the sampling rate of one direction of a stream; keeps the filter's state between
// frames.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "patchbay/result.h"
#include "resampler/polyphase.h"

struct SpeexResamplerState_;

namespace patchbay::lib {

// Both methods are flat up to 0.425 of the lower rate (3.4 kHz of 8 kHz), and have aliases and images below
// -90 dB. Ratios of small numbers delay by 30 samples of the lower rate (3.75 ms at 8 kHz), others by 40.
class Resampler {
 public:
  static constexpr uint32_t kMinHz = 4000;
  static constexpr uint32_t kMaxHz = 192000;

  // Passes samples through if the rates are equal. Code::invalid: a rate outside [kMinHz, kMaxHz].
  // Code::exhausted: out of memory.
  static Result<Resampler> create(uint32_t from_hz, uint32_t to_hz);

  // [any] [media] Returns the number of samples written, at most `capacity`. 20 ms of input are 20 ms of
  // output in every call, the first included.
  uint32_t process(const int16_t* in, uint32_t samples, int16_t* out, uint32_t capacity) noexcept;
  // [any] The same, but allocates, so not on a media loop.
  std::vector<int16_t> process(const std::vector<int16_t>& samples);

 private:
  struct Destroy {
    void operator()(SpeexResamplerState_* state) const noexcept;
  };
  Resampler(uint32_t from_hz, uint32_t to_hz) : from_hz_(from_hz), to_hz_(to_hz) {}
  uint32_t from_hz_;
  uint32_t to_hz_;
  // At most one is set; none: pass through.
  std::unique_ptr<Polyphase> polyphase_;                  // for a ratio of small numbers
  std::unique_ptr<SpeexResamplerState_, Destroy> speex_;  // for any other
};

}  // namespace patchbay::lib
