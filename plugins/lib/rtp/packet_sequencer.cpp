#include "rtp/packet_sequencer.h"

#include <algorithm>

namespace patchbay::lib {

void PacketSequencer::restart() noexcept {
  running_ = false;
  waiting_ = 0;
  for (Waiting& slot : slots_) slot.used = false;
}

void PacketSequencer::put(const RtpPacket& packet, int64_t now_ns) noexcept {
  if (!running_) {
    running_ = true;
    next_sequence_ = packet.sequence;
    next_timestamp_ = packet.timestamp;
  }
  const uint16_t ahead = ahead_of_next(packet.sequence);
  if (ahead >= 0x8000) {
    ++stats_.late_packets;
    return;
  }
  if (ahead > 0 && ahead < kSlots && packet.payload_bytes <= kMaxPayloadBytes) return keep(packet, now_ns);
  // It cannot wait, so what is missing before it is given up; later ones go on waiting.
  while (waiting_ > 0 && ahead_of_next(earliest().packet.sequence) < ahead_of_next(packet.sequence)) {
    skip_to(earliest().packet);
    pass_waiting(now_ns);
  }
  if (ahead_of_next(packet.sequence) > 0) skip_to(packet);
  pass(packet, now_ns);
  pass_waiting(now_ns);
}

void PacketSequencer::keep(const RtpPacket& packet, int64_t now_ns) noexcept {
  Waiting& slot = slots_[packet.sequence % kSlots];
  slot.used = true;
  slot.packet = packet;
  slot.packet.payload = slot.bytes.data();
  slot.arrived_ns = now_ns;
  std::copy_n(packet.payload, packet.payload_bytes, slot.bytes.data());
  ++waiting_;
  waiting_since_ns_ = earliest().arrived_ns;
}

void PacketSequencer::give_up(int64_t now_ns) noexcept {
  while (waiting_ > 0 && now_ns >= due_ns()) {
    skip_to(earliest().packet);
    pass_waiting(now_ns);
  }
}

// The first in order of the waiting packets, of which there is at least one.
PacketSequencer::Waiting& PacketSequencer::earliest() noexcept {
  uint16_t sequence = next_sequence_;
  while (!slots_[sequence % kSlots].used) ++sequence;
  return slots_[sequence % kSlots];
}

void PacketSequencer::skip_to(const RtpPacket& packet) noexcept {
  const auto gap = static_cast<int32_t>(packet.timestamp - next_timestamp_);
  if (gap > 0) listener_.on_missing(static_cast<uint32_t>(gap), packet);
  next_sequence_ = packet.sequence;
}

void PacketSequencer::pass(const RtpPacket& packet, int64_t arrived_ns) noexcept {
  ++next_sequence_;
  next_timestamp_ = packet.timestamp + listener_.on_packet(packet, arrived_ns);
}

// Passes the waiting packets on that are in sequence now.
void PacketSequencer::pass_waiting(int64_t now_ns) noexcept {
  while (waiting_ > 0) {
    Waiting& slot = slots_[next_sequence_ % kSlots];
    if (!slot.used) {
      waiting_since_ns_ = earliest().arrived_ns;
      return;
    }
    slot.used = false;
    --waiting_;
    stats_.max_wait_ns = std::max(stats_.max_wait_ns, now_ns - slot.arrived_ns);
    pass(slot.packet, slot.arrived_ns);
  }
}

}  // namespace patchbay::lib
