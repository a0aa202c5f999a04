// Cryptographically random numbers. Any thread.
#pragma once

#include <cstdint>
#include <cstring>

#include "crypto/random.h"

namespace patchbay::sip_trunk {

// Returns 0 if the system provides no randomness.
inline uint64_t random64() {
  const auto bytes = lib::random_bytes(8);
  uint64_t value = 0;
  if (bytes) std::memcpy(&value, bytes->data(), sizeof value);
  return value;
}

}  // namespace patchbay::sip_trunk
