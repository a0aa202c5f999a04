// The fixed times and limits of engine-local. What an operator can set is in settings.schema.json; the
// thresholds of voice activity detection are in vad.h, that of interruptions in barge_in.h.
#pragma once

#include <chrono>
#include <cstddef>

namespace patchbay::engine_local {

inline constexpr int kTickMs = 50;  // interval of checking all deadlines

// Without a call, then the synthesiser's thread ends; the models follow the setting unloadAfterS.
inline constexpr std::chrono::minutes kSynthesiserIdle{5};

inline constexpr size_t kPrerollFrames = 25;  // half a second; the models need silence before the first word
inline constexpr int kToolTimeoutMs = 5000;   // without a result by then, the tool has failed
inline constexpr size_t kMaxToolResultBytes = 64 * 1024;

inline constexpr size_t kMaxWaitingUtterances = 64;  // of all calls; more are not recognised
inline constexpr size_t kMaxGreetingBytes = 300;     // of a greeting taken from the prompt
inline constexpr size_t kMaxSentenceBytes = 1000;    // of one sentence; the rest is not spoken
inline constexpr size_t kMaxSentences = 64;          // of one text
inline constexpr size_t kMaxWaitingSentences = 256;  // of all calls; behind more, a reply comes too late

}  // namespace patchbay::engine_local
