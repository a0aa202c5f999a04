// Tells which protocol a datagram on a port for STUN, DTLS, RTP and RTCP belongs to (RFC 7983, RFC 5761).
// Pure function, any thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace patchbay::lib {

enum class DatagramKind : uint8_t { stun, zrtp, dtls, turn_channel, rtp, rtcp, unknown };

constexpr DatagramKind datagram_kind(const uint8_t* data, size_t size) noexcept {
  if (size < 2) return DatagramKind::unknown;
  const uint8_t first = data[0];
  if (first <= 3) return DatagramKind::stun;
  if (first >= 16 && first <= 19) return DatagramKind::zrtp;
  if (first >= 20 && first <= 63) return DatagramKind::dtls;
  if (first >= 64 && first <= 79) return DatagramKind::turn_channel;
  if (first < 128 || first > 191) return DatagramKind::unknown;
  return data[1] >= 192 && data[1] <= 223 ? DatagramKind::rtcp : DatagramKind::rtp;
}

}  // namespace patchbay::lib
