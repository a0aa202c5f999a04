// Caller audio on its way from the media thread to the engine's thread: about a second of 20 ms frames,
// wait-free.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "playout/spsc_ring.h"

namespace patchbay::ai_voice {

class CallerAudio {
 public:
  static constexpr int kRateHz = 16000;
  static constexpr size_t kFrameSamples = 320;
  using Frame = std::array<int16_t, kFrameSamples>;

  // [media] Full frames become visible to the engine; returns whether one did. Dropped when nobody fetches.
  bool push(const int16_t* samples, size_t count) noexcept {
    bool visible = false;
    while (count > 0) {
      size_t part = std::min(count, kFrameSamples - filled_);
      std::memcpy(open_.data() + filled_, samples, part * sizeof(int16_t));
      filled_ += part;
      samples += part;
      count -= part;
      if (filled_ < kFrameSamples) break;
      filled_ = 0;
      visible = ring_.push(open_) || visible;
    }
    return visible;
  }

  // [engine] The oldest frame, to be followed by pop().
  const Frame* front() noexcept { return ring_.front(); }
  void pop() noexcept { ring_.pop(); }

 private:
  lib::SpscRing<Frame> ring_{64};
  Frame open_{};
  size_t filled_ = 0;
};

}  // namespace patchbay::ai_voice
