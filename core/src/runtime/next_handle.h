// Allocates handles: unique in the process, never reused, never 0.
#pragma once

#include <atomic>
#include <cstdint>

namespace patchbay::core {

inline uint64_t next_handle() noexcept {
  static std::atomic<uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace patchbay::core
