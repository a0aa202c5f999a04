// Reads and writes big-endian integers in packets. The caller checks the bounds.
#pragma once

#include <cstdint>

namespace patchbay::lib {

inline uint16_t read_u16(const uint8_t* at) noexcept { return static_cast<uint16_t>(at[0] << 8 | at[1]); }
inline uint32_t read_u32(const uint8_t* at) noexcept {
  return static_cast<uint32_t>(read_u16(at)) << 16 | read_u16(at + 2);
}
inline void write_u16(uint8_t* at, uint16_t value) noexcept {
  at[0] = static_cast<uint8_t>(value >> 8);
  at[1] = static_cast<uint8_t>(value);
}
inline void write_u32(uint8_t* at, uint32_t value) noexcept {
  write_u16(at, static_cast<uint16_t>(value >> 16));
  write_u16(at + 2, static_cast<uint16_t>(value));
}

}  // namespace patchbay::lib
