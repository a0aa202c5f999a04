#include "rtp/packet.h"

#include "rtp/bytes.h"

namespace patchbay::lib {

bool is_rtcp(const uint8_t* data, size_t size) noexcept {
  return size >= 2 && data[0] >> 6 == 2 && data[1] >= 192 && data[1] <= 223;
}

std::optional<RtpPacket> parse_rtp(const uint8_t* data, size_t size) noexcept {
  if (size < kRtpHeaderBytes || size > kMaxRtpPacketBytes || data[0] >> 6 != 2 || is_rtcp(data, size))
    return std::nullopt;
  size_t begin = kRtpHeaderBytes + size_t{4} * (data[0] & 0x0F);
  size_t end = size;
  if ((data[0] & 0x10) != 0) {
    if (begin + 4 > size) return std::nullopt;
    begin += 4 + size_t{4} * read_u16(data + begin + 2);
  }
  if ((data[0] & 0x20) != 0) {
    const size_t padding = data[size - 1];
    if (padding == 0 || padding > size) return std::nullopt;
    end -= padding;
  }
  if (begin > end) return std::nullopt;
  RtpPacket packet;
  packet.payload_type = data[1] & 0x7F;
  packet.marker = (data[1] & 0x80) != 0;
  packet.sequence = read_u16(data + 2);
  packet.timestamp = read_u32(data + 4);
  packet.ssrc = read_u32(data + 8);
  packet.payload = data + begin;
  packet.payload_bytes = end - begin;
  return packet;
}

void write_rtp_header(const RtpPacket& packet, uint8_t out[kRtpHeaderBytes]) noexcept {
  out[0] = 0x80;
  out[1] = static_cast<uint8_t>((packet.marker ? 0x80 : 0) | (packet.payload_type & 0x7F));
  write_u16(out + 2, packet.sequence);
  write_u32(out + 4, packet.timestamp);
  write_u32(out + 8, packet.ssrc);
}

}  // namespace patchbay::lib
