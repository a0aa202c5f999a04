// PolyphaseFilter: the coefficients of one ratio of sampling rates. Built once in a process, shared by all
// streams, constant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace patchbay::lib {

class PolyphaseFilter {
 public:
  static constexpr uint32_t kMaxFactor = 6;  // 8 to 48 kHz
  // The filter's length, in samples at the lower rate: flat up to 0.425 of the lower rate, at most -90 dB
  // from half of it on, a delay of half the length (3.75 ms at 8 kHz).
  static constexpr size_t kLength = 60;

  // [any] Returns the filter that makes `up` samples of `down` samples, in lowest terms; null unless
  // the larger of them is 2, 3, 4 or 6. Allocates at the first call.
  static const PolyphaseFilter* find(uint32_t up, uint32_t down);

  uint32_t up() const noexcept { return up_; }
  uint32_t down() const noexcept { return down_; }

  // A group is down() samples of input and up() of output. The filter reads its input from a buffer that has
  // the first samples of all groups, then the second ones and so on, each kStride apart: first those of
  // kLength earlier groups, then those of at most kMaxGroups new ones.
  static constexpr size_t kMaxGroups = 160;  // 20 ms of a ratio to or from 8 kHz
  static constexpr size_t kMaxLanes = 8;     // of a vector, which may reach beyond the last group
  static constexpr size_t kStride = kLength + kMaxGroups + kMaxLanes;

  struct Tap {
    uint32_t offset;  // of the input for the first new group
    float coefficient;
  };
  // The products whose sum is the output at `phase` of a group.
  const std::vector<Tap>& taps(size_t phase) const noexcept { return taps_[phase]; }

 private:
  PolyphaseFilter(uint32_t up, uint32_t down);

  const uint32_t up_;
  const uint32_t down_;
  std::vector<std::vector<Tap>> taps_;
};

}  // namespace patchbay::lib
