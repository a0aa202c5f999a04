// Limits and timeouts of isolated plugins, for both processes. An operator configures the others: restarts
// (IsolationOptions), and how soon a process must answer (CoreOptions.start_deadline_ms).
#pragma once

#include <cstddef>
#include <cstdint>

namespace patchbay::core::isolation {

// Stopping a process. Each timeout ends with SIGKILL.
// For the answer to stop; never beyond answer_timeout. A plugin may have to wait for a library, such as one
// that loads a speech model, on a machine under load.
inline constexpr int64_t kStopTimeoutMs = 15'000;
inline constexpr int64_t kMaxExitAfterStopMs =
    5'000;  // from that answer to the exit, for libraries that clean up
inline constexpr int64_t kMaxExitAfterCloseMs = 1'000;  // after the process closed its channel by itself
inline constexpr int64_t kExitPollMs = 2;               // between checks for the exit
// In the child: how long destroy() waits for answers that were under way at the stop. Shorter than
// kStopTimeoutMs, so that the child can still report what it waits for.
inline constexpr int64_t kDestroyWaitMs = 3'000;
inline constexpr int64_t kDestroyPollMs = 2;

// Supervision.
inline constexpr int64_t kPingsPerTimeout = 5;  // pings of a running process per answer_timeout
inline constexpr size_t kMaxReasonBytes = 300;  // of the end of a process, as `patchbay status` shows it
inline constexpr int64_t kRequestTimeoutMs =
    10'000;                                         // in the child: for a host function that returns a value
inline constexpr int64_t kMetricsIntervalMs = 250;  // in the child: between reports of changed metrics

// The channel between the processes.
inline constexpr size_t kMaxPacketBytes = 128 * 1024;  // must fit into the socket's buffer
inline constexpr size_t kMaxFrameBytes = 16u << 20;    // larger calls and results are refused
// Frames that wait for the peer; beyond, the channel ends. More than all answers that a peer may wait for at
// once, by the limits below.
inline constexpr size_t kMaxQueuedFrames = 65'536;
inline constexpr size_t kMaxQueuedFrameBytes = 64u << 20;
// Frames that wait for the child; beyond, it does not keep up: events are dropped, calls to it refused.
inline constexpr size_t kMaxUnsentFrames = 2'048;
// Frames of the child that the server has read and not yet processed; beyond, the child waits.
inline constexpr size_t kMaxUnprocessedFrames = 4'096;
inline constexpr size_t kMaxUnprocessedFrameBytes = 32u << 20;
// In the child: calls, events and jobs that the plugin has not processed yet; beyond, calls are refused,
// events dropped, and jobs claimed again later.
inline constexpr size_t kMaxWaitingCallbacks = 16'384;
inline constexpr size_t kMaxWaitingCallbackBytes = 64u << 20;

// What one child may hold in the server; beyond, it is refused more.
inline constexpr size_t kMaxObjectsPerKind = 16'384;    // subscriptions, leases, ...
inline constexpr size_t kMaxPorts = 4'096;              // each keeps a descriptor
inline constexpr size_t kMaxObjectBytes = 64u << 20;    // of the names and patterns with which it opened them
inline constexpr size_t kMaxInterfaces = 1'024;         // described in all runs of its process; never freed
inline constexpr size_t kMaxInterfaceBytes = 4u << 20;  // of their descriptions
inline constexpr size_t kMaxCallsInFlight = 16'384;     // to others, and as many from others to it
inline constexpr size_t kMaxCallBytesInFlight = 64u << 20;
inline constexpr size_t kMaxQuestionsInFlight = 16'384;  // queries and commits
inline constexpr size_t kMaxQuestionBytesInFlight = 64u << 20;
inline constexpr size_t kMaxSharedTransactions = 4'096;        // open, and passed to other plugins
inline constexpr size_t kMaxOpenTransactionBytes = 64u << 20;  // beyond, the transaction is discarded
inline constexpr size_t kMaxSecrets = 4'096;                   // to be redacted in logs
inline constexpr size_t kMaxSecretBytes = 4u << 20;
inline constexpr size_t kMaxMetrics = 1'000;

// The description of an interface.
inline constexpr uint32_t kMaxInterfaceMethods = 64;
inline constexpr uint32_t kMaxMessageFields = 64;
inline constexpr uint32_t kMaxMessageBytes = 4'096;  // of the struct
inline constexpr size_t kMaxInterfaceNameBytes = 128;

// Audio ports.
inline constexpr uint32_t kMaxRingFrames = 32;     // what a leg receives in a tick at most
inline constexpr int kMaxBellsPerTick = 32;        // that a child may ring; further ones wait for the tick
inline constexpr uint32_t kFramesPulledAhead = 2;  // so that a late tick in the child does not empty the ring

}  // namespace patchbay::core::isolation
