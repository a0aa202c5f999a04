// The fixed limits and times of outbound calls. What an operator can set is in settings.schema.json, and what
// a request can in create_request.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

namespace patchbay::ai_voice {

// Requests.
inline constexpr size_t kMaxIdempotencyKeyBytes = 255;
// How long a request with the same Idempotency-Key gets the first reply again.
inline constexpr int64_t kIdempotencyWindowMs = int64_t{24} * 3600 * 1000;
inline constexpr size_t kMaxCreateBodyBytes = 1024 * 1024;  // fits the longest systemPrompt, escaped
inline constexpr int64_t kMaxSchedulePastMs = 60'000;       // of scheduleAtUtc
inline constexpr int64_t kMaxScheduleAheadMs = int64_t{366} * 24 * 3600 * 1000;
inline constexpr const char* kBusyRetryAfterSec = "30";  // Retry-After of 429
inline constexpr const char* kLoadRetryAfterSec = "5";   // Retry-After of 503 when the load is too high
// Of a call that another server runs: longer than it takes to find that the server is dead.
inline constexpr int64_t kMaxRemoteHangupMs = 15'000;
inline constexpr int64_t kRemoteHangupPollMs = 200;
inline constexpr int kMaxHangupTries = 20;  // while the call changes at the same time

// Scheduler.
inline constexpr uint32_t kMaxClaims = 64;       // at once
inline constexpr int64_t kJobLeaseMs = 60'000;   // within which a job is claimed, or given to another worker
inline constexpr int64_t kBriefPauseMs = 1000;   // after a failed read or write of the store
inline constexpr int64_t kHeldPauseMs = 30'000;  // unless a free slot starts the call earlier
inline constexpr uint32_t kMaxPauseFactor = 10;  // by which that pause grows at most
inline constexpr size_t kMaxHeldCalls = 1000;    // calls that a free slot can start
inline constexpr int64_t kStartedHeldMs = 60'000;  // for the claim of a held call that was started
inline constexpr int64_t kSharedSlotMs = 1000;     // between tries while other servers have the slots
inline constexpr int64_t kReservedMs = 30'000;     // how long a trunk keeps a reserved place that is not used
inline constexpr int64_t kMaxEarlyStartMs = 100;   // by which a start may be early for a shared rate
inline constexpr size_t kMaxTrunkProbes = 20;      // waiting calls that one free slot tries for a free trunk
inline constexpr size_t kTrimAfterAttempts = 20;   // running at once; then memory is returned to the system
// How long a call waits for its engine: after the start, because engine plugins start after ai-voice, and
// after the engine has ended, because a plugin that crashed is restarted and registers again.
inline constexpr int64_t kEngineRegistrationMs = 30'000;

// The load of the processor.
inline constexpr int64_t kLoadSampleMs = 1000;        // while attempts run
inline constexpr int64_t kMinLoadWindowMs = 500;      // over shorter times the load is noise
inline constexpr double kLoadSmoothing = 0.3;         // how much a sample counts
inline constexpr double kAssumedCoresOfCall = 0.002;  // until calls were measured
inline constexpr double kAssumedCalls = 10;           // how many measured calls that assumption counts as
// Above the first of each pair no call starts, below the second ones calls start again. Late ticks begin 20
// ms late or never: telephones hide a few such frames, but not one in twenty. Threads that wait half a
// millisecond on average each time are late by tens of milliseconds now and then.
inline constexpr double kMaxLateTicks = 0.05, kLateTicksEnd = 0.01;      // share of the ticks
inline constexpr double kMaxWaitNs = 500'000, kLateWaitEndNs = 250'000;  // for a processor
// How much of one sample of them counts, in times of the limit. With kLoadSmoothing, less than the limit.
inline constexpr double kMaxSampleOfLimit = 3;
// How long there is no refusal before the log says that calls start again.
inline constexpr int64_t kRefusalsEndMs = 10'000;

// Attempts.
inline constexpr int64_t kCommitRetryMs = 1000;  // after a commit that failed for the moment
inline constexpr int64_t kMaxLegEndMs = 500;     // for the report of an ended leg: its trunk, its audio
inline constexpr int64_t kMaxTranscriptWaitMs =
    30'000;  // enough for an isolated transcripts plugin to restart
inline constexpr int64_t kTranscriptRetryMs = 1000;
inline constexpr int64_t kMinCommitPauseMs = 1000;  // between two commits of one end
inline constexpr int64_t kMaxCommitPauseMs = 30'000;
inline constexpr int64_t kRecoveryRetryMs = 1000;  // after a crash recovery that failed

// Outcome mails: so many are handed over at once. Tries again for five minutes, because the transcripts
// plugin may restart.
inline constexpr uint32_t kMaxOutcomeMails = 16;
inline constexpr int64_t kOutcomeMailLeaseMs = 60'000;
inline constexpr int64_t kOutcomeMailRetryMs = 30'000;
inline constexpr uint32_t kMaxOutcomeMailTries = 10;

// Retention.
inline constexpr int64_t kDeleteBatch = 500;  // rows in one transaction, so that others do not wait
inline constexpr int64_t kSweepIntervalMs = int64_t{10} * 60 * 1000;
inline constexpr int64_t kCountIntervalMs = 10'000;  // of exporting the number of open calls

}  // namespace patchbay::ai_voice
