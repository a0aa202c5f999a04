// The fixed limits and times of every engine's session and thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace patchbay::lib {

// With this many sessions on each thread, the next one starts another thread. Fewer threads need fewer
// wake-ups, because one wake-up serves several calls.
inline constexpr size_t kSessionsPerThread = 32;

// A thread that is stuck in a task: see StallLimits.
inline constexpr int64_t kThreadPollMs = 1000;  // between two checks of the thread
inline constexpr int64_t kThreadStallMs =
    5000;  // then the stall is reported, and no new session is put on it
inline constexpr int64_t kThreadGiveUpMs = 15'000;  // then its open sessions fail
inline constexpr int64_t kThreadStopMs = 5000;      // how long stop() waits for the threads
inline constexpr int64_t kDetachMs = 2000;          // how long a session's end waits for a running callback

// The caller's silence, which an engine may want in larger pieces than speech.
inline constexpr int kSilencePeak = 200;  // amplitude, -44 dBFS: the noise of a line, but no speech
// Engines find the end of the caller's turn within this time, so nothing is late if silence waits from then
// on.
inline constexpr int64_t kSilenceWaitsAfterMs = 1000;

// The goodbye.
inline constexpr int kFarewellNoAudioMs = 5000;  // hang up if the model has said nothing by then
inline constexpr int kFarewellTotalMs = 15'000;  // hang up in any case

// Text that an engine sends in one session; more closes the session.
inline constexpr size_t kMaxSessionTextBytes = 1u << 20;
inline constexpr size_t kFragmentOverheadBytes = 8;  // added per fragment, so that empty ones count too

}  // namespace patchbay::lib
