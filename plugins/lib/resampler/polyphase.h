// Polyphase: converts between two sampling rates whose ratio is one of small numbers, such as 8 to 16 or 24
// to 16 kHz, by a polyphase FIR filter. One direction of a stream; one thread at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "resampler/polyphase_filter.h"
#include "resampler/polyphase_kernel.h"

namespace patchbay::lib {

class Polyphase {
 public:
  // `kernel`: one of polyphase_kernels().
  Polyphase(const PolyphaseFilter& filter, PolyphaseKernel kernel);

  // [any] [media] Consumes samples by groups of filter.down() and writes filter.up() for each; keeps those of
  // an incomplete group for the next call. Drops the groups for which `out` has no room. Returns the number
  // of samples written.
  size_t process(const int16_t* in, size_t samples, int16_t* out, size_t capacity) noexcept;

 private:
  // Moves samples to the incomplete group. Returns true if it is complete.
  bool complete_group(const int16_t*& in, size_t& samples) noexcept;
  size_t convert(const int16_t* in, size_t groups, int16_t* out, size_t capacity) noexcept;
  // At most kMaxGroups.
  void convert_part(const int16_t* in, size_t groups, int16_t* out) noexcept;

  // borrowed
  const PolyphaseFilter* filter_;
  PolyphaseKernel kernel_;
  // state
  std::vector<float> history_;
  size_t silent_groups_ = PolyphaseFilter::kLength;           // at the end of the history, at most its length
  std::array<int16_t, PolyphaseFilter::kMaxFactor> group_{};  // incomplete
  size_t group_size_ = 0;
};

}  // namespace patchbay::lib
