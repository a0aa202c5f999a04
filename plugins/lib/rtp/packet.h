// The RTP header (RFC 3550 section 5.1). Pure functions on borrowed bytes, any thread, no allocation. Packets
// are untrusted, so every length in them is checked against the datagram.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace patchbay::lib {

constexpr size_t kRtpHeaderBytes = 12;
constexpr size_t kMaxRtpPacketBytes = 1500;

struct RtpPacket {
  uint8_t payload_type = 0;
  bool marker = false;
  uint16_t sequence = 0;
  uint32_t timestamp = 0;
  uint32_t ssrc = 0;
  const uint8_t* payload = nullptr;  // points into the datagram; excludes padding and header extension
  size_t payload_bytes = 0;
};

// Returns nullopt for anything but a complete RTP packet of version 2, and for RTCP on the same port (RFC
// 5761).
std::optional<RtpPacket> parse_rtp(const uint8_t* data, size_t size) noexcept;

// Returns whether the second octet is an RTCP packet type (RFC 5761 section 4).
bool is_rtcp(const uint8_t* data, size_t size) noexcept;

// Writes the 12 octets that precede the payload, which the caller appends; ignores the payload members.
void write_rtp_header(const RtpPacket& packet, uint8_t out[kRtpHeaderBytes]) noexcept;

}  // namespace patchbay::lib
