// The monotonic clock of the SIP thread and the resolver's threads, which have no strand to ask the host on.
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
