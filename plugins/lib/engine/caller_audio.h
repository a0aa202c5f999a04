// Ring that carries caller audio from the media thread to the engine's thread: the latest second or so, in
// frames of 20 ms. Wait-free.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include "engine/limits.h"

namespace patchbay::lib {

class CallerAudio {
 public:
  static constexpr int kRateHz = 16000;
  static constexpr size_t kFrameSamples = 320;
  static constexpr int kFrameMs = 20;
  using Frame = std::array<int16_t, kFrameSamples>;

  // `silence_ms`: how much of a long silence waits for one hand-over; kFrameMs: none.
  explicit CallerAudio(int silence_ms = kFrameMs) : silence_frames_(silence_ms / kFrameMs) {
    for (uint32_t i = 0; i < kFrames; ++i) slots_[i].store(i, std::memory_order_relaxed);
  }

  // [media] Cuts the samples into frames. Returns whether to wake the engine's thread: a frame was completed
  // and queued, and it is not part of a long silence that may wait. Drops and counts the oldest frame when
  // the ring is full, because the engine's thread does not read.
  bool push(const int16_t* samples, size_t count) noexcept {
    bool wake = false;
    while (count > 0) {
      size_t part = std::min(count, kFrameSamples - filled_);
      Frame& open = frames_[open_].samples;
      std::memcpy(open.data() + filled_, samples, part * sizeof(int16_t));
      filled_ += part;
      samples += part;
      count -= part;
      if (filled_ < kFrameSamples) break;
      filled_ = 0;
      wake |= must_hand_over(open);
      queue_open_frame();
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
  const Frame* front() noexcept {
    while (!has_front_) {
      if (next_ >= skip_dropped()) return nullptr;
      const uint32_t found = slots_[next_ % kFrames].exchange(front_, std::memory_order_acq_rel);
      front_ = found & ~kFull;
      has_front_ = (found & kFull) != 0;
      // A later one, if the media thread has just replaced the frame.
      if (has_front_) skip_to(frames_[front_].number);
      ++next_;
    }
    return &frames_[front_].samples;
  }
  void pop() noexcept { has_front_ = false; }
  // [engine] Milliseconds dropped since the last call.
  int64_t take_dropped_ms() noexcept {
    skip_dropped();
    return std::exchange(dropped_frames_, 0) * kFrameMs;
  }

 private:
  static constexpr uint32_t kFrames = 64;
  static constexpr uint32_t kFull = 1u << 31;
  struct NumberedFrame {
    uint64_t number;
    Frame samples;
  };

  // A frame that is not silent goes at once, together with the silence before it.
  bool must_hand_over(const Frame& frame) noexcept {
    if (peak(frame) > kSilencePeak)
      quiet_ms_ = 0;
    else
      quiet_ms_ += kFrameMs;
    if (quiet_ms_ <= kSilenceWaitsAfterMs || ++waiting_frames_ >= silence_frames_) waiting_frames_ = 0;
    return waiting_frames_ == 0;
  }

  void queue_open_frame() noexcept {
    const uint64_t number = queued_.load(std::memory_order_relaxed);
    frames_[open_].number = number;
    const uint32_t before = slots_[number % kFrames].exchange(open_ | kFull, std::memory_order_acq_rel);
    open_ = before & ~kFull;
    queued_.store(number + 1, std::memory_order_release);
  }

  // Skips the frames that the media thread has replaced. Returns the number of frames ever queued.
  uint64_t skip_dropped() noexcept {
    const uint64_t queued = queued_.load(std::memory_order_acquire);
    if (queued > next_ + kFrames) skip_to(queued - kFrames);
    return queued;
  }
  void skip_to(uint64_t number) noexcept {
    dropped_frames_ += static_cast<int64_t>(number - std::exchange(next_, number));
  }

  const int silence_frames_;
  // A slot holds the index of a frame, with kFull if the frame is queued. A thread owns the frame that it
  // took out of a slot, and leaves the frame that it owned before: so neither waits for the other, and a full
  // slot can be replaced.
  std::array<std::atomic<uint32_t>, kFrames> slots_;
  const std::unique_ptr<NumberedFrame[]> frames_{new NumberedFrame[kFrames + 2]};
  std::atomic<uint64_t> queued_{0};  // frames ever queued
  // state of the engine's thread
  uint32_t front_ = kFrames + 1;  // its frame
  bool has_front_ = false;
  uint64_t next_ = 0;           // number of the frame to take
  int64_t dropped_frames_ = 0;  // since the last take_dropped_ms()
  // state of the media thread
  uint32_t open_ = kFrames;  // its frame, which is being filled
  size_t filled_ = 0;
  int64_t quiet_ms_ = 0;    // since the last frame that was not silent
  int waiting_frames_ = 0;  // queued since the last hand-over
};

}  // namespace patchbay::lib
