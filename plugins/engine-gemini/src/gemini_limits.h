// The fixed times and limits of engine-gemini. What an operator can set is in settings.schema.json. Those of
// reconnecting are in reconnect_policy.h, those of a silent model in silence_watchdog.h.
#pragma once

#include <cstddef>
#include <cstdint>

namespace patchbay::engine_gemini {

inline constexpr int kTickMs = 50;  // interval of checking all deadlines

inline constexpr int kMaxUnreadable = 3;  // messages of a connection in a row, then a fresh session

// Audio.
inline constexpr size_t kMaxUnsentFrames = 50;   // a second of caller audio; then the oldest is dropped
inline constexpr size_t kMaxSocketBytes = 4096;  // about 80 ms; more waits where it can be dropped
inline constexpr size_t kMaxFramesInMessage =
    5;  // 100 ms; audio that waits is sent in messages of this length
inline constexpr int kGreetingProtectMs = 1000;  // interruptions of the greeting are ignored for this time
inline constexpr int kLateAudioMs = 2000;  // audio of an interrupted turn may still arrive for this time
inline constexpr int kSpeechPeak = 1000;   // a louder sample is speech of the caller

// The server's detection of speech.
inline constexpr int kEndOfSpeechMs = 500;    // this much silence ends the caller's turn
inline constexpr int kPrefixPaddingMs = 200;  // audio kept from before the caller's turn

// The server's messages.
inline constexpr size_t kMinDetachedCharacters = 64;  // shorter audio is left to the JSON parser
inline constexpr size_t kMaxKeptMessageBytes = 1024;  // a longer message without its audio is not remembered

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
