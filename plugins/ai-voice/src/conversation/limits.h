// The fixed limits and times of a conversation.
#pragma once

#include <cstddef>
#include <cstdint>

namespace patchbay::ai_voice {

inline constexpr int64_t kWarnBeforeMs = 30'000;     // before the end of a long call; the AI comes to a close
inline constexpr int64_t kMaxFarewellMs = 20'000;    // engines report the end of the goodbye within 15 s
inline constexpr size_t kMaxTextBytes = 1u << 20;    // of an engine in one call; more ends the call
inline constexpr int64_t kMaxKeyGapMs = 2000;        // between two keys of one group
inline constexpr int64_t kLateFragmentMs = 2000;     // how late text of the caller's last turn may arrive
inline constexpr size_t kMinRepeatedBytes = 8;       // shorter fragments are never taken for repetitions
inline constexpr size_t kTurnOverheadBytes = 64;     // approximate memory of a turn besides its text
inline constexpr size_t kFragmentOverheadBytes = 8;  // added per fragment, so that empty ones count too

}  // namespace patchbay::ai_voice
