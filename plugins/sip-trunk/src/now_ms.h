// Monotonic clock for the SIP thread and the resolver's threads, which are not strands and cannot use the
// host's clock.
#pragma once

#include <chrono>
#include <cstdint>

namespace patchbay::sip_trunk {

inline int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace patchbay::sip_trunk
