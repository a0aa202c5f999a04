// Ring that carries caller audio from the media thread to the engine's thread: about a second of 20 ms
// frames, wait-free.
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

  // [media] Cuts the samples into frames. Returns whether a frame was completed and queued. Drops and counts
  // frames when the ring is full, because the engine's thread does not read.
  bool push(const int16_t* samples, size_t count) noexcept {
    bool queued = false;
    while (count > 0) {
      size_t part = std::min(count, kFrameSamples - filled_);
      std::memcpy(open_.data() + filled_, samples, part * sizeof(int16_t));
      filled_ += part;
      samples += part;
      count -= part;
      if (filled_ < kFrameSamples) break;
      filled_ = 0;
      if (ring_.push(open_))
        queued = true;
      else
        dropped_frames_.fetch_add(1, std::memory_order_relaxed);
    }
    return queued;
  }

  // [engine] Returns the oldest frame, valid until pop(); nullptr when empty.
  const Frame* front() noexcept { return ring_.front(); }
  void pop() noexcept { ring_.pop(); }
  // [engine] Milliseconds dropped since the last call.
  int64_t take_dropped_ms() noexcept {
    return dropped_frames_.exchange(0, std::memory_order_relaxed) * kFrameMs;
  }

 private:
  SpscRing<Frame> ring_{64};
  Frame open_{};
  size_t filled_ = 0;
  std::atomic<int64_t> dropped_frames_{0};
};

}  // namespace patchbay::lib
