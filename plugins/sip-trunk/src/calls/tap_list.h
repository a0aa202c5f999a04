// TapList: the taps of one call: copies of its audio for other plugins, and what they add to it. The media
// loop of the call runs far() and near(), that of the tap hear() and say(); only rings are between them.
#pragma once

#include <patchbay/abi/media.h>
#include <patchbay/sample_ring.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace patchbay::sip_trunk {

// Passes samples from one media loop to another, whose ticks differ: begins with two frames, or with what
// there is after two ticks, and forgets the oldest when more than ten wait.
class PacedRing {
 public:
  explicit PacedRing(uint32_t rate_hz) : frame_(rate_hz / 1000 * PB_TICK_MS), ring_(frame_ * kFrames) {}

  // [media] The writing loop.
  void write(const int16_t* pcm, size_t count) noexcept { ring_.write(pcm, count); }
  // [media] The reading loop: adds what is due to `pcm`, up to `count` samples. Returns whether there was
  // anything.
  bool mix_into(int16_t* pcm, size_t count) noexcept;

 private:
  static constexpr size_t kFrames = 16, kMostFrames = 10, kKeptFrames = 3;
  static constexpr size_t kMaxSamples = 960;  // 20 ms at 48 kHz

  const size_t frame_;
  SampleRing ring_;
  // state of the reading loop
  bool is_flowing_ = false;
  uint32_t waited_ticks_ = 0;
};

struct TapSides {
  bool far = false;
  bool near = false;
};

// One access to a call.
class Tap {
 public:
  Tap(uint32_t rate_hz, TapSides hears, TapSides says)
      : hears_(hears), says_(says), far_(rate_hz), near_(rate_hz), to_far_(rate_hz), to_near_(rate_hz) {}

  // [media] The loop of the tap: adds what is heard; false: nothing is.
  bool hear(int16_t* pcm, size_t count) noexcept;
  void say(const int16_t* pcm, size_t count) noexcept;

 private:
  friend class TapList;
  const TapSides hears_, says_;
  PacedRing far_, near_;        // written by the call
  PacedRing to_far_, to_near_;  // read by the call
};

class TapList {
 public:
  static constexpr size_t kMaxTaps = 8;

  // Main strand. False: there are too many.
  bool add(Tap& tap) noexcept;
  // Main strand. The call takes up the tap no more; it may be destroyed once is_used() was false after that.
  void remove(const Tap& tap) noexcept;
  // [any] Whether the media loop is at the taps in this moment.
  bool is_used() const noexcept { return in_use_.load(); }
  // [any] Whether there is none, so that nothing has to be copied.
  bool is_empty() const noexcept { return count_.load(std::memory_order_relaxed) == 0; }

  // [media] The loop of the call: audio from the far end, or for it, which is heard, and to which is added
  // what taps say. Returns whether that was anything.
  bool far(int16_t* pcm, size_t count) noexcept { return pass(pcm, count, true); }
  bool near(int16_t* pcm, size_t count) noexcept { return pass(pcm, count, false); }

 private:
  bool pass(int16_t* pcm, size_t count, bool is_far) noexcept;

  // In one order for both threads (sequentially consistent): remove() before is_used(), in_use_ before taps_.
  std::array<std::atomic<Tap*>, kMaxTaps> taps_{};
  std::atomic<bool> in_use_{false};
  std::atomic<size_t> count_{0};
};

}  // namespace patchbay::sip_trunk
