// Resampler: converts the sampling rate of one direction of a stream; keeps the filter's state between
// frames.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "patchbay/result.h"

struct SpeexResamplerState_;

namespace patchbay::lib {

class Resampler {
 public:
  static constexpr int kQuality = 5;  // pass band flat to 3.4 kHz of 8 kHz, aliasing below -72 dB, 5 ms delay

  static constexpr uint32_t kMinHz = 4000;
  static constexpr uint32_t kMaxHz = 192000;

  // Passes samples through if the rates are equal. Code::invalid: a rate outside [kMinHz, kMaxHz].
  // Code::exhausted: out of memory.
  static Result<Resampler> create(uint32_t from_hz, uint32_t to_hz);

  // [any] [media] Returns the number of samples written, at most `capacity`.
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
  std::unique_ptr<SpeexResamplerState_, Destroy> state_;  // null: pass through
};

}  // namespace patchbay::lib
