// Jitter buffer of one received audio stream, addressed by RTP timestamp: packets of any length and in any
// order go in, and come out in order at the pace of the media clock, one frame of 20 ms per tick. It keeps
// packets as they came, because decoders need them in order. One thread; no allocation after construction.
//
// The playout delay adapts between two bounds: it grows when packets arrive too late to be played, and
// shrinks after two seconds in which the buffer held more than it needed. ReceptionStats checks sequence
// numbers; the caller passes no duplicates.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace patchbay::lib {

class JitterBuffer {
 public:
  static constexpr uint32_t kFrameMs = 20;
  static constexpr size_t kSlots = 32;  // 10 ms packets of the longest delay and a burst beyond it
  static constexpr size_t kMaxPayloadBytes = 1280;

  struct Stats {
    uint64_t late_packets = 0;      // arrived after their playout time; dropped
    uint64_t concealed_frames = 0;  // of a running stream; parts of frames are added up
    uint64_t resyncs = 0;           // jumps of the sender's timestamps
  };

  // Both are clipped to 20..200 ms.
  struct Options {
    uint32_t min_delay_ms = 0;  // where the delay begins, and its least
    uint32_t max_delay_ms = 0;  // how far it grows when packets come late; never below the least
  };

  // Times are in units of the RTP clock.
  struct Packet {
    uint32_t timestamp = 0;
    uint32_t duration = 0;
    uint8_t payload_type = 0;
    const uint8_t* payload = nullptr;
    size_t bytes = 0;
  };

  // What the caller does for a tick, before it calls next().
  enum class Frame {
    idle,  // plays silence, because no stream has begun; next() is not called
    hold,  // conceals a whole frame, because the delay grows; next() is not called
    play,  // plays one frame
    skip,  // plays two frames in the time of one, because the delay shrinks
  };

  // The next piece of the stream.
  struct Part {
    const Packet* packet = nullptr;  // valid until put() or next(); null: a gap
    uint32_t skipped = 0;            // of the packet: time that was concealed before it came
    uint32_t gap = 0;                // of a gap: its length, at most what was wanted
    const Packet* after_gap =
        nullptr;  // the packet that follows the gap immediately; null if there is none yet
  };

  explicit JitterBuffer(const Options& options) noexcept;

  // Starts a new stream (another SSRC or clock): drops the packets and keeps the learnt delay.
  void restart(uint32_t clock_hz) noexcept;

  // Copies the packet.
  void put(const Packet& packet) noexcept;

  // Call it at each tick. Then call next() until the parts fill the frame; a packet may last longer, and its
  // rest belongs to the next frames.
  Frame begin_frame() noexcept;
  // `wanted`: what the frame still needs, at least 1.
  Part next(uint32_t wanted) noexcept;

  uint32_t delay_ms() const noexcept { return target_ms_; }
  // Buffered ahead of the playout point.
  uint32_t depth_ms() const noexcept;
  const Stats& stats() const noexcept { return stats_; }

 private:
  uint32_t units(uint32_t ms) const noexcept { return ms * per_ms_; }
  void begin_at(uint32_t timestamp) noexcept;
  void on_late(uint32_t timestamp, uint32_t late_by) noexcept;
  bool should_shrink() noexcept;
  // Frees those that are past. Returns the slot of the packet to play next, or kSlots.
  size_t earliest() noexcept;
  void count_concealed(uint32_t gap) noexcept;

  const uint32_t min_ms_;
  const uint32_t max_ms_;
  uint32_t target_ms_;
  uint32_t per_ms_ = 8;  // units of the RTP clock
  bool running_ = false;
  bool hold_ = false;       // the delay grows at the next frame
  bool played_ = false;     // a packet was played since begin_at()
  uint32_t play_ = 0;       // timestamp of what comes next
  uint32_t end_ = 0;        // one past the newest packet
  uint32_t concealed_ = 0;  // less than a frame of it
  uint32_t late_in_a_row_ = 0;
  uint32_t frames_since_change_ = 0;
  int32_t lowest_depth_ = 0;
  uint32_t used_ = 0;                     // a bit for each slot, so that empty ones cost nothing
  std::array<Packet, kSlots> packets_{};  // their payloads point to bytes_
  std::array<std::array<uint8_t, kMaxPayloadBytes>, kSlots> bytes_;
  Packet given_;  // what next() returned
  Stats stats_;
};

}  // namespace patchbay::lib
