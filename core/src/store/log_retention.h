// Results of log retention: pruning old events in slices, and forgetting consumers whose plugins are gone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace patchbay::core {

// Where a slice of pruning ended; {} is the start of the log.
struct PruneCursor {
  int64_t ts_ms = INT64_MIN;
  int64_t id = 0;
};

struct PruneResult {
  int64_t removed = 0;
  PruneCursor next;   // start of the next slice
  bool more = false;  // there may be more old events after `next`
};

struct ConsumerState {
  std::string name, patterns;  // patterns separated by spaces
  int64_t registered_ms = 0;
  int64_t seen_ms = 0;             // when a process last had it registered
  bool forgotten = false;          // its pending events are being removed
  int64_t pending = 0;             // counted up to kMaxCounted
  int64_t oldest_pending_ms = -1;  // when the oldest of them was emitted; -1: none

  static constexpr int64_t kMaxCounted = 100'000;
};

struct ConsumerPurgeResult {
  std::vector<std::string> forgotten;  // forgotten by this call
  int64_t removed = 0;                 // pending events of forgotten consumers
  bool more = false;                   // call again
};

}  // namespace patchbay::core
