// Caller audio on its way from the media thread to the engine's thread: about a second of 20 ms frames,
// wait-free.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>

#include "playout/spsc_ring.h"

namespace patchbay::lib {

class CallerAudio {
 public:
  static constexpr int kRateHz = 16000;
  static constexpr size_t kFrameSamples = 320;
  static constexpr int kFrameMs = 20;
  using Frame = std::array<int16_t, kFrameSamples>;

  // [media] Full frames become visible to the engine; returns whether one did. Dropped and counted while the
  // engine's thread does not fetch.
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
      if (ring_.push(open_))
        visible = true;
      else
        lost_.fetch_add(1, std::memory_order_relaxed);
    }
    return visible;
  }

  // [engine] The oldest frame, to be followed by pop().
  const Frame* front() noexcept { return ring_.front(); }
  void pop() noexcept { ring_.pop(); }
  // [engine] Milliseconds dropped since the last call.
  int64_t take_lost_ms() noexcept { return lost_.exchange(0, std::memory_order_relaxed) * kFrameMs; }

 private:
  SpscRing<Frame> ring_{64};
  Frame open_{};
  size_t filled_ = 0;
  std::atomic<int64_t> lost_{0};
};

}  // namespace patchbay::lib
