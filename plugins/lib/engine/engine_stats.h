// Counters of one engine over all its conversations, for the metrics. Any thread.
#pragma once

#include <atomic>
#include <cstdint>

namespace patchbay::lib {

struct EngineStats {
  std::atomic<int64_t> dropped_ms{0};  // caller audio dropped because the engine or its thread was too slow
  std::atomic<int64_t> queued_ms{0};   // caller audio waiting to be sent now
  std::atomic<int64_t> reply_dropped_ms{0};  // engine audio dropped because the playout buffer was full
  std::atomic<int64_t> reconnects{0};        // connections lost in mid-call and opened again
  std::atomic<int64_t> unsaid{0};            // answers not spoken because the speech queue was full
};

}  // namespace patchbay::lib
