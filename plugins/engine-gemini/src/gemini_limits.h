// The fixed times and limits of engine-gemini. What an operator can set is in
// settings.schema.json.
#pragma once

#include <cstddef>
#include <cstdint>

namespace patchbay::engine_gemini {

inline constexpr int kTickMs = 50;  // interval of checking all deadlines

// The connection.
inline constexpr int kSetupBudgetMs = 10'000;       // for the first connection of a call to be ready
inline constexpr int kFirstReconnectDelayMs = 500;  // doubled at each further attempt
inline constexpr int kMaxReconnectDelayMs = 4000;
inline constexpr int kMaxResumeTries = 2;                // then the session is given up for a fresh one
inline constexpr int kMaxRefusals = 3;                   // of setups in one call; each leads to another setup
inline constexpr int kMaxUnreadable = 3;                 // messages in a row, then a fresh session
inline constexpr int kMaxConnectionAgeMs = 50 * 60'000;  // the server ends connections after an hour
inline constexpr int kReplaceMarginMs = 10'000;          // before the time that goAway names
inline constexpr int kReplaceWithinMs = 60'000;          // after kMaxConnectionAgeMs, if there is no silence

// Audio.
inline constexpr size_t kMaxUnsentFrames = 50;   // a second of caller audio; then the oldest is dropped
inline constexpr size_t kMaxSocketBytes = 4096;  // about 80 ms; more waits where it can be dropped
inline constexpr int kGreetingProtectMs = 1000;  // interruptions of the greeting are ignored for this time
inline constexpr int kLateAudioMs = 2000;  // audio of an interrupted turn may still arrive for this time
inline constexpr int kSpeechPeak = 1000;   // a louder sample is speech of the caller
inline constexpr int kAudiblePeak = 100;   // quieter audio of the model counts as silence

// The server's detection of speech.
inline constexpr int kEndOfSpeechMs = 500;    // this much silence ends the caller's turn
inline constexpr int kPrefixPaddingMs = 200;  // audio kept from before the caller's turn

// A model that falls silent: see SilenceWatchdog.
inline constexpr int kFirstAudioMs = 6000;      // after the call was answered
inline constexpr int kAnswerMs = 8000;          // after the caller spoke, or a tool answered
inline constexpr int kStuckTurnMs = 20'000;     // all audio played, but no turnComplete
inline constexpr int kStuckGeneratedMs = 3000;  // the same after generationComplete
inline constexpr int kNearSilenceMs = 2000;     // this much inaudible audio of the model

// Texts.
inline constexpr int64_t kCompressAtTokens = 25'000;  // of the context; it is reduced to half of that
inline constexpr int kReplayMs = 1500;  // a resumed session may repeat transcriptions for this time
inline constexpr int kEchoMs = 5000;    // our text may return as a transcription for this time
inline constexpr size_t kMaxRecentSentTexts = 8;
inline constexpr size_t kMinEchoBytes = 8;        // a shorter part of our text is not taken for an echo
inline constexpr size_t kMaxHistoryBytes = 6000;  // for a fresh session in mid-call
inline constexpr size_t kMaxReasonBytes = 300;    // of the server's close reason

// Tools.
inline constexpr size_t kMaxToolCalls = 1000;  // of one call
inline constexpr size_t kMaxToolResultBytes = 16 * 1024;
// Of one call in a message, because a conversation keeps its ids. Larger calls are ignored.
inline constexpr size_t kMaxToolIdBytes = 256;
inline constexpr size_t kMaxToolNameBytes = 128;
inline constexpr size_t kMaxToolArgumentsBytes = 64 * 1024;
inline constexpr size_t kMaxMessageItems = 256;  // parts, calls and ids in one message

}  // namespace patchbay::engine_gemini
