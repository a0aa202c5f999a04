// The RTP payload types that we use (RFC 3551 section 6).
#pragma once

#include <cstdint>

namespace patchbay::lib {

inline constexpr uint8_t kPcmuPayloadType = 0;
inline constexpr uint8_t kPcmaPayloadType = 8;
inline constexpr uint8_t kComfortNoisePayloadType = 13;  // RFC 3389: the peer is silent but alive
inline constexpr int kMinDynamicPayloadType = 96;

}  // namespace patchbay::lib
