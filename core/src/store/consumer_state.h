// The state of a durable consumer, for reports.
#pragma once

#include <cstdint>
#include <string>

namespace patchbay::core {

struct ConsumerState {
  std::string name, patterns;  // patterns separated by spaces
  int64_t registered_ms = 0;
  int64_t seen_ms = 0;             // when a process last had it registered
  bool forgotten = false;          // its pending events are being removed
  int64_t pending = 0;             // counted up to kMaxCountedPending
  int64_t oldest_pending_ms = -1;  // when the oldest of them was emitted; -1: none
};

}  // namespace patchbay::core
