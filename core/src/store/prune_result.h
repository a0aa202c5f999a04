// Results of the retention of the event log: pruning old events in slices, and forgetting consumers whose
// plugins no longer run.
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

struct ConsumerPurgeResult {
  std::vector<std::string> forgotten;  // forgotten by this call
  int64_t removed = 0;                 // pending events of forgotten consumers
  bool more = false;                   // call again
};

}  // namespace patchbay::core
