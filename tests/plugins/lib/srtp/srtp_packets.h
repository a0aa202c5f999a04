// Packets and keys for the tests of SRTP.
#pragma once

#include <doctest/doctest.h>
#include <patchbay/hex.h>

#include <memory>
#include <string>
#include <vector>

#include "rtp/bytes.h"
#include "srtp/multi_buffer.h"
#include "srtp/srtp_receiver.h"
#include "srtp/srtp_sender.h"

namespace patchbay::lib {

using Bytes = std::vector<uint8_t>;
using Verdict = SrtpReceiver::Verdict;

inline constexpr SrtpProfile kAllSrtpProfiles[] = {
    SrtpProfile::aes128_cm_sha1_80, SrtpProfile::aes128_cm_sha1_32, SrtpProfile::aead_aes128_gcm,
    SrtpProfile::aead_aes256_gcm};

inline Bytes bytes_of(std::string_view hex) {
  const std::string raw = *from_hex(hex);
  return {raw.begin(), raw.end()};
}
inline std::string hex_of(const Bytes& bytes) {
  return to_hex({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

inline Bytes rtp_packet(uint32_t ssrc, uint16_t sequence, size_t payload = 160) {
  Bytes packet(12 + payload);
  packet[0] = 0x80;
  write_u16(&packet[2], sequence);
  write_u32(&packet[4], sequence * 160U);
  write_u32(&packet[8], ssrc);
  for (size_t i = 0; i < payload; ++i) packet[12 + i] = static_cast<uint8_t>(sequence + i * 7);
  return packet;
}

inline Bytes rtcp_packet(uint32_t ssrc, uint8_t mark = 0) {
  Bytes packet(28, mark);
  packet[0] = 0x80;
  packet[1] = 200;
  write_u16(&packet[2], 6);
  write_u32(&packet[4], ssrc);
  return packet;
}

// One direction: what we send, and a receiver of the same key.
struct SrtpPath {
  explicit SrtpPath(SrtpProfile profile, const char* byte = "\x5A")
      : key(*MasterKey::from(
            profile, std::string(size_t{info_of(profile).key_bytes} + info_of(profile).salt_bytes, *byte))),
        sender(*SrtpSender::create(key)),
        receiver(*SrtpReceiver::create(key)),
        multi_buffer(*MultiBuffer::create()) {}

  // Empty: refused.
  Bytes protect(Bytes packet, SrtpKind kind = SrtpKind::rtp) {
    const size_t size = packet.size();
    packet.resize(size + kMaxSrtpTrailerBytes, 0xEE);
    OutboundPacket out{sender.get(), kind, packet.data(), size, packet.size()};
    packet.resize(multi_buffer->protect(out) ? out.size : 0);
    return packet;
  }
  // Replaces the packet by what it contains, if it is accepted.
  Verdict unprotect(Bytes& packet, SrtpKind kind = SrtpKind::rtp) {
    Bytes copy = packet;
    size_t size = copy.size();
    const Verdict verdict = receiver->unprotect(kind, copy.data(), size);
    if (verdict == Verdict::accepted)
      packet.assign(copy.begin(), copy.begin() + static_cast<ptrdiff_t>(size));
    return verdict;
  }
  Verdict receive(Bytes packet, SrtpKind kind = SrtpKind::rtp) { return unprotect(packet, kind); }

  MasterKey key;
  std::unique_ptr<SrtpSender> sender;
  std::unique_ptr<SrtpReceiver> receiver;
  std::unique_ptr<MultiBuffer> multi_buffer;
};

}  // namespace patchbay::lib
