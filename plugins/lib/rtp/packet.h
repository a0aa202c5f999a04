// The RTP header (RFC 3550 section 5.1). Pure functions on borrowed bytes, any thread, no allocation: packets
// come from strangers, so every length in them is checked against the datagram.
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
  const uint8_t* payload = nullptr;  // points into the datagram; padding and extension are outside it
  size_t payload_bytes = 0;
};

// Nothing for what is no whole RTP packet of version 2, and for RTCP that arrived on the same port (RFC
// 5761).
std::optional<RtpPacket> parse_rtp(const uint8_t* data, size_t size) noexcept;

// Whether the second octet says RTCP (RFC 5761 section 4).
bool is_rtcp(const uint8_t* data, size_t size) noexcept;

// Writes the 12 octets before a payload that the caller puts behind them; `payload` members are not used.
void write_rtp_header(const RtpPacket& packet, uint8_t out[kRtpHeaderBytes]) noexcept;

}  // namespace patchbay::lib
