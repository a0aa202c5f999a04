// Puts received packets of one RTP stream in order for a listener without a playout clock (an AI engine).
// Passes a packet that arrives in sequence on at once, however late it is; waits for a missing packet for 40
// ms after its successor arrived, then gives it up. Order is that of sequence numbers, because only they tell
// a missing packet from a pause of the sender. One thread; no allocation after construction.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "rtp/packet.h"

namespace patchbay::lib {

class PacketSequencer {
 public:
  static constexpr int64_t kMaxWaitNs = 40'000'000;
  static constexpr size_t kSlots = 16;
  static constexpr size_t kMaxPayloadBytes = 1280;  // of a packet that waits; an Opus frame has 1275 at most

  class Listener {
   public:
    // The next packet in order; its payload is valid for the call. Returns how long its audio lasts, in units
    // of the RTP timestamp: 0 for one without audio (a telephone-event, comfort noise).
    virtual uint32_t on_packet(const RtpPacket& packet, int64_t arrived_ns) noexcept = 0;
    // Packets are missing here that lasted `duration`, in units of the RTP timestamp. `next` follows them;
    // on_packet() will pass it.
    virtual void on_missing(uint32_t duration, const RtpPacket& next) noexcept = 0;

   protected:
    ~Listener() = default;
  };
  struct Stats {
    uint64_t late_packets = 0;  // arrived after they were given up; dropped
    int64_t max_wait_ns =
        0;  // the longest that a packet was kept until its predecessors came or were given up
  };

  explicit PacketSequencer(Listener& listener) noexcept : listener_(listener) {}

  // Starts a new stream (another SSRC, other sequence numbers) with the next packet; drops what waits.
  void restart() noexcept;
  // A packet, in any order; the caller passes no duplicates.
  void put(const RtpPacket& packet, int64_t now_ns) noexcept;
  // When the packets that are missing before the earliest waiting one are given up; 0: none is missing. Call
  // give_up() then.
  int64_t due_ns() const noexcept { return waiting_ > 0 ? waiting_since_ns_ + kMaxWaitNs : 0; }
  void give_up(int64_t now_ns) noexcept;

  const Stats& stats() const noexcept { return stats_; }

 private:
  struct Waiting {
    bool used = false;
    RtpPacket packet;  // its payload points to `bytes`
    int64_t arrived_ns = 0;
    std::array<uint8_t, kMaxPayloadBytes> bytes;
  };

  uint16_t ahead_of_next(uint16_t sequence) const noexcept {
    return static_cast<uint16_t>(sequence - next_sequence_);
  }
  void keep(const RtpPacket& packet, int64_t now_ns) noexcept;
  Waiting& earliest() noexcept;
  void skip_to(const RtpPacket& packet) noexcept;
  void pass(const RtpPacket& packet, int64_t arrived_ns) noexcept;
  void pass_waiting(int64_t now_ns) noexcept;

  // borrowed
  Listener& listener_;
  // state
  bool running_ = false;
  uint16_t next_sequence_ = 0;
  uint32_t next_timestamp_ = 0;          // where the audio that was passed on ends
  std::array<Waiting, kSlots> slots_{};  // by sequence number
  size_t waiting_ = 0;                   // used slots
  int64_t waiting_since_ns_ = 0;         // when the earliest of them arrived
  Stats stats_;
};

}  // namespace patchbay::lib
