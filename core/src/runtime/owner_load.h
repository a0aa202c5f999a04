// OwnerLoad: how many executor threads the strands of one owner hold, and which of its strands wait until it
// may have more. Made once per owner and executor, and kept as long as the executor.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "runtime/strand.h"

namespace patchbay::core {

struct OwnerLoad {
  std::atomic<int> running{0};      // turns under way
  std::atomic<int> stalled{0};      // of these, turns whose task has been given up on
  std::atomic<uint64_t> stalls{0};  // since the start
  std::atomic<bool> parks{false};   // there are parked strands
  CallCount calls;                  // that the owner has posted, on all its strands
  // Under the executor's ready mutex, oldest first.
  Strand* parked_first = nullptr;
  Strand* parked_last = nullptr;
};

}  // namespace patchbay::core
