// Resampler: changes the rate of one direction of a stream, keeping its state from frame to frame.
#pragma once

#include <cstdint>
#include <memory>

#include "patchbay/result.h"

struct SpeexResamplerState_;

namespace patchbay::media {

class Resampler {
 public:
  static constexpr int kQuality = 5;  // pass band flat to 3.4 kHz of 8 kHz, aliasing below -72 dB, 5 ms delay

  // Equal rates pass through. exhausted: no memory.
  static Result<Resampler> create(uint32_t from_hz, uint32_t to_hz);

  // [media] Writes 20 ms at `to_hz` and returns the number of samples; never more than `capacity`.
  uint32_t process(const int16_t* in, uint32_t samples, int16_t* out, uint32_t capacity) noexcept;

 private:
  struct Destroy {
    void operator()(SpeexResamplerState_* state) const noexcept;
  };
  Resampler() = default;
  std::unique_ptr<SpeexResamplerState_, Destroy> state_;  // null: pass through
};

}  // namespace patchbay::media
