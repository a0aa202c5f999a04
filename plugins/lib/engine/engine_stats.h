// What one engine counts over all its conversations, for the metrics. Any thread.
#pragma once

#include <atomic>
#include <cstdint>

namespace patchbay::lib {

struct EngineStats {
  std::atomic<int64_t> dropped_ms{0};  // caller audio the engine never got: it, or its thread, was too slow
  std::atomic<int64_t> queued_ms{0};   // caller audio that waits to be sent now
  std::atomic<int64_t> reply_dropped_ms{0};  // of the engine's audio, beyond what may wait to be played
  std::atomic<int64_t> reconnects{0};        // connections replaced or lost in mid-call
  std::atomic<int64_t> unsaid{0};            // answers not spoken because too many waited for the voice
};

}  // namespace patchbay::lib
