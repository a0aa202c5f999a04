// Jitter buffer of one received audio stream at 8 kHz, addressed by RTP timestamp: decoded packets of any
// length and in any order go in, frames of 20 ms come out at the pace of the media clock. One thread; no
// allocation after construction.
//
// Fills a gap by repeating the last frame with a fade-out, then with silence. The playout delay adapts
// between two bounds: it grows when packets arrive too late to be played, and shrinks after two seconds in
// which the buffer held more than it needed. ReceptionStats checks sequence numbers; the caller passes no
// duplicates.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace patchbay::lib {

class JitterBuffer {
 public:
  static constexpr size_t kFrameSamples = 160;  // 20 ms
  static constexpr size_t kCapacitySamples = 4096;

  struct Stats {
    uint64_t late_packets = 0;      // arrived after their playout time; dropped
    uint64_t concealed_frames = 0;  // repeated or silent frames of a running stream
    uint64_t resyncs = 0;           // jumps of the sender's timestamps
  };

  // Both are clipped to 20..200 ms.
  struct Options {
    uint32_t min_delay_ms = 0;  // where the delay begins, and its least
    uint32_t max_delay_ms = 0;  // how far it grows when packets come late; never below the least
  };
  explicit JitterBuffer(const Options& options) noexcept;

  // Starts a new stream (another SSRC): drops the buffered audio and keeps the learnt delay.
  void restart() noexcept;

  void put(uint32_t timestamp, const int16_t* pcm, size_t samples) noexcept;

  // Always writes kFrameSamples. Returns whether at least some of them were received.
  bool get(int16_t* pcm) noexcept;

  uint32_t delay_ms() const noexcept { return target_ / 8; }
  // Samples buffered ahead of the playout point.
  int32_t depth() const noexcept { return running_ ? static_cast<int32_t>(end_ - play_) : 0; }
  const Stats& stats() const noexcept { return stats_; }

 private:
  void begin_at(uint32_t timestamp) noexcept;
  void on_late(uint32_t timestamp, uint32_t late_by) noexcept;
  bool copy_frame(int16_t* pcm) noexcept;
  void conceal(int16_t* pcm) noexcept;
  void adapt() noexcept;

  uint32_t min_;  // in samples, like max_, target_, hold_ and lowest_depth_
  uint32_t max_;
  uint32_t target_;
  bool running_ = false;
  uint32_t play_ = 0;  // timestamp of the next sample to play
  uint32_t end_ = 0;   // one past the newest sample
  uint32_t hold_ = 0;  // samples to conceal before playout continues, while the delay grows
  uint32_t late_in_a_row_ = 0;
  uint32_t frames_since_change_ = 0;
  int32_t lowest_depth_ = 0;
  bool played_ = false;  // received audio was played since begin_at()
  bool concealed_before_ = false;
  std::array<int16_t, kCapacitySamples> samples_{};
  std::array<uint8_t, kCapacitySamples> valid_{};
  std::array<int16_t, kFrameSamples> last_{};
  Stats stats_;
};

}  // namespace patchbay::lib
