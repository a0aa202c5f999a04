// OwnerLoad: the executor threads that the strands of one owner occupy, and its strands that are parked until
// it may occupy more. One per owner and executor; lives as long as the executor.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "runtime/strand.h"

namespace patchbay::core {

struct OwnerLoad {
  std::atomic<int> running{0};      // turns running now
  std::atomic<int> stalled{0};      // of these, turns that were given up on
  std::atomic<uint64_t> stalls{0};  // turns given up on since the start
  std::atomic<bool> parks{false};   // some strands are parked
  CallCount calls;                  // posted by the owner, on all its strands
  // Parked strands, oldest first; guarded by the executor's ready_mutex_.
  Strand* parked_first = nullptr;
  Strand* parked_last = nullptr;
};

}  // namespace patchbay::core
