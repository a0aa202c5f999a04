// Ring that carries caller audio from the media thread to the engine's thread: about a second of 20 ms
// frames, wait-free.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>

#include "engine/limits.h"
#include "engine/spsc_ring.h"

namespace patchbay::lib {

class CallerAudio {
 public:
  static constexpr int kRateHz = 16000;
  static constexpr size_t kFrameSamples = 320;
  static constexpr int kFrameMs = 20;
  using Frame = std::array<int16_t, kFrameSamples>;

  // `silence_ms`: how much of a long silence waits for one hand-over; kFrameMs: none.
  explicit CallerAudio(int silence_ms = kFrameMs) : silence_frames_(silence_ms / kFrameMs) {}

  // [media] Cuts the samples into frames. Returns whether to wake the engine's thread: a frame was completed
  // and queued, and it is not part of a long silence that may wait. Drops and counts frames when the ring is
  // full, because the engine's thread does not read.
  bool push(const int16_t* samples, size_t count) noexcept {
    bool wake = false;
    while (count > 0) {
      size_t part = std::min(count, kFrameSamples - filled_);
      std::memcpy(open_.data() + filled_, samples, part * sizeof(int16_t));
      filled_ += part;
      samples += part;
      count -= part;
      if (filled_ < kFrameSamples) break;
      filled_ = 0;
      if (ring_.push(open_))
        wake |= must_hand_over(open_);
      else
        dropped_frames_.fetch_add(1, std::memory_order_relaxed);
    }
    return wake;
  }

  // Returns the largest amplitude.
  static int peak(const Frame& frame) noexcept {
    int16_t lowest = 0, highest = 0;
    for (const int16_t sample : frame) {
      lowest = std::min(lowest, sample);
      highest = std::max(highest, sample);
    }
    return std::max<int>(highest, -int{lowest});
  }

  // [engine] Returns the oldest frame, valid until pop(); nullptr when empty.
  const Frame* front() noexcept { return ring_.front(); }
  void pop() noexcept { ring_.pop(); }
  // [engine] Milliseconds dropped since the last call.
  int64_t take_dropped_ms() noexcept {
    return dropped_frames_.exchange(0, std::memory_order_relaxed) * kFrameMs;
  }

 private:
  // A frame that is not silent goes at once, together with the silence before it.
  bool must_hand_over(const Frame& frame) noexcept {
    if (peak(frame) > kSilencePeak)
      quiet_ms_ = 0;
    else
      quiet_ms_ += kFrameMs;
    if (quiet_ms_ <= kSilenceWaitsAfterMs || ++waiting_frames_ >= silence_frames_) waiting_frames_ = 0;
    return waiting_frames_ == 0;
  }

  const int silence_frames_;
  SpscRing<Frame> ring_{64};
  Frame open_{};
  size_t filled_ = 0;
  int64_t quiet_ms_ = 0;    // since the last frame that was not silent
  int waiting_frames_ = 0;  // queued since the last hand-over
  std::atomic<int64_t> dropped_frames_{0};
};

}  // namespace patchbay::lib
