// How much of a packet SRTP leaves in the clear: the RTP header with its extension, or the first 8 bytes of
// RTCP. Pure function, any thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rtp/bytes.h"
#include "rtp/packet.h"
#include "srtp/key_derivation.h"

namespace patchbay::lib {

// 0: not a whole header of version 2, or more than kMaxRtpPacketBytes.
inline size_t clear_header_bytes(SrtpKind kind, const uint8_t* data, size_t size) noexcept {
  constexpr size_t kRtcpHeaderBytes = 8;
  if (size < kRtcpHeaderBytes || size > kMaxRtpPacketBytes || data[0] >> 6 != 2) return 0;
  if (kind == SrtpKind::rtcp) return kRtcpHeaderBytes;
  size_t bytes = kRtpHeaderBytes + size_t{4} * (data[0] & 0x0F);
  if ((data[0] & 0x10) != 0) {
    if (bytes + 4 > size) return 0;
    bytes += 4 + size_t{4} * read_u16(data + bytes + 2);
  }
  return bytes <= size ? bytes : 0;
}

}  // namespace patchbay::lib
