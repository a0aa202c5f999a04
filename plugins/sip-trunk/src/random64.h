// Numbers that nobody can guess. Any thread.
#pragma once

#include <cstdint>
#include <cstring>

#include "crypto/random.h"

namespace patchbay::sip_trunk {

// 0 only if the system has no randomness.
inline uint64_t random64() {
  const auto bytes = lib::random_bytes(8);
  uint64_t value = 0;
  if (bytes) std::memcpy(&value, bytes->data(), sizeof value);
  return value;
}

}  // namespace patchbay::sip_trunk
