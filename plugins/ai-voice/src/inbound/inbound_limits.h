// The fixed limits and times of inbound calls.
#pragma once

#include <cstdint>

namespace patchbay::ai_voice {

inline constexpr int64_t kMaxEngineReadyMs = 20'000;  // the caller hears ringing until then; then 480

inline constexpr int kMaxTransfers = 5;  // that a call may try, because each one costs

inline constexpr int kMaxHandOvers = 3;  // of a caller from AI to AI, because each one costs another engine

inline constexpr int64_t kTransferRingMs = 30'000;  // how long a transfer may ring; the AI talks on meanwhile

}  // namespace patchbay::ai_voice
