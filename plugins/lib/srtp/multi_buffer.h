// Protects packets of any senders, several per call, by libipsec-mb: its instructions work on up to eight
// packets at once. One thread at a time, usually one per media loop; allocates nothing after create().
#pragma once

#include <patchbay/result.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "srtp/ipsec_mb_functions.h"
#include "srtp/srtp_sender.h"

namespace patchbay::lib {

// A packet to protect in place.
struct OutboundPacket {
  SrtpSender* sender = nullptr;
  SrtpKind kind = SrtpKind::rtp;
  uint8_t* data = nullptr;
  size_t size = 0;      // protect() adds the tag, in RTCP also the index
  size_t capacity = 0;  // at least size + kMaxSrtpTrailerBytes
  bool is_protected =
      false;  // false after protect(): malformed, repeated, or of too many sources. Must not be sent
};

class MultiBuffer {
 public:
  // [any, may block] Code::unavailable: libipsec-mb cannot be used.
  static Result<std::unique_ptr<MultiBuffer>> create();

  void protect(std::span<OutboundPacket> packets) noexcept;
  // Returns whether `packet` was protected.
  bool protect(OutboundPacket& packet) noexcept {
    protect({&packet, 1});
    return packet.is_protected;
  }

 private:
  static constexpr size_t kBatch = 32;
  // What a packet of AES-CM needs until its batch is done.
  struct Slot {
    OutboundPacket* packet;
    alignas(16) std::array<uint8_t, 16> counter;
    alignas(16) std::array<uint8_t, 20> tag;
    size_t clear_bytes;   // the header, which is not encrypted
    size_t hashed_bytes;  // with what follows the packet: the roll-over count in RTP, the index in RTCP
  };

  MultiBuffer(IpsecMbFunctions::Manager wide, IpsecMbFunctions::Manager narrow) noexcept
      : wide_(std::move(wide)), narrow_(std::move(narrow)) {}

  bool prepare(OutboundPacket& packet, Slot& slot) noexcept;
  bool protect_aead(OutboundPacket& packet) noexcept;
  void run(size_t count) noexcept;
  static void submit(IMB_MGR& imb, Slot& slot) noexcept;
  static void finish(IMB_JOB& job) noexcept;

  const IpsecMbFunctions::Manager wide_;
  const IpsecMbFunctions::Manager narrow_;
  std::array<Slot, kBatch> slots_{};
};

}  // namespace patchbay::lib
