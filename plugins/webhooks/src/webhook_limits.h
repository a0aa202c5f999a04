// The limits of webhooks that are not settings. The times of attempts are in retry_schedule.h.
#pragma once

#include <cstddef>
#include <cstdint>

namespace patchbay::webhooks {

// For a whole request, with name lookup.
inline constexpr int64_t kRequestTimeoutMs = 10'000;
// Read of a response, head and body; what follows is not read.
inline constexpr size_t kMaxResponseBytes = 64 * 1024;
// Open connections, those in use among them. Beyond it idle ones are closed, so it exceeds kMaxInFlight:
// otherwise receivers that hang would cost a quick one its connection after each request.
inline constexpr long kMaxConnections = 576;

// Requests in flight, in total and of one tenant, so that slow receivers of one do not delay the others. The
// setting maxInFlight is of one subscription.
inline constexpr size_t kMaxInFlight = 512;
inline constexpr size_t kMaxInFlightPerTenant = 128;
// How fast a success, with a response that ends, makes a receiver a quick one. Requests to all others
// together, those of a tenant: enough for one to each subscription, and a second one to one of them only
// below the third limit.
inline constexpr int64_t kQuickMs = 2'000;
// By how much the deliveries of an event to quick receivers are stored before its others: time to send them.
inline constexpr int64_t kQuickHeadStartMs = 5;
inline constexpr size_t kMaxUnprovenInFlight = 384;
inline constexpr size_t kMaxUnprovenPerTenant = 100;
inline constexpr size_t kMaxFurtherUnprovenPerTenant = 32;
// Pending deliveries of a subscription that are read beyond those in flight.
inline constexpr size_t kLookAhead = 32;

// Failed deliveries in a row that pause a subscription.
inline constexpr int64_t kFailuresToPause = 20;
// How long a paused subscription's deliveries are kept.
inline constexpr int64_t kPausedKeepMs = 86'400'000;

inline constexpr size_t kMaxSubscriptionsPerTenant = 100;
inline constexpr size_t kMaxUrlBytes = 2048;
// Secrets of a subscription; Retention deletes those that no pending delivery needs.
inline constexpr size_t kMaxSecrets = 50;
// Different characters of a secret, because repeated ones are easy to guess.
inline constexpr size_t kMinDistinctCharacters = 8;

// Events that are stored as deliveries in one transaction: so few that the largest also fit a frame of an
// isolated plugin (16 MiB), and no further one once they take kMaxBatchBytes, as a transaction holds 32 MiB.
inline constexpr uint32_t kMaxEventsPerBatch = 50;
inline constexpr size_t kMaxBatchBytes = size_t{8} << 20;
// Of a delivery in a transaction, rounded up.
inline constexpr size_t kDeliveryBytes = 1024;
// A page of the event log: items, bytes, and events of the log that are read for it. Beyond one of these the
// page ends, with the cursor of the next one.
inline constexpr int64_t kMaxEventsPerPage = 500;
inline constexpr size_t kMaxEventPageBytes = size_t{4} << 20;
inline constexpr size_t kMaxEventsRead = 2000;
// Streams of events: how often the log is read for events of other servers, and how many times in between a
// stream's bearer is verified again: every 20 s.
inline constexpr int64_t kLogPollMs = 2000;
inline constexpr int64_t kPollsPerVerification = 10;
inline constexpr int64_t kMaxStreamsPerTenant = 100;
inline constexpr int64_t kMaxStreamsPerAddress = 50;
// What a client has not taken, and a page of the log, which follows when it has taken all but a quarter of
// kMaxUnsentBytes. A page exceeds its bytes by less than an event, which has up to 256 KiB.
inline constexpr int64_t kMaxUnsentBytes = 1 << 20;
inline constexpr size_t kMaxEventsPerStreamPage = 200;
inline constexpr size_t kMaxStreamPageBytes = size_t{128} << 10;
// How long a client may leave more than that quarter unread.
inline constexpr int64_t kMaxUnreadMs = 60'000;
// Of a comment between events, so that proxies keep the connection.
inline constexpr int64_t kStreamPingMs = 15'000;
// How long a client waits before it connects again.
inline constexpr int64_t kStreamRetryMs = 2000;
// How long failed attempts that are repeated wait for others, so that one commit records them all. Each keeps
// its slot until then. A crash before that repeats an attempt, as it does during a request.
inline constexpr int64_t kRetryRecordIntervalMs = 50;
// How long to wait before using the store again after it has refused.
inline constexpr int64_t kStoreRetryMs = 1000;

// How often old rows are deleted, and rows of one statement, so that the writer is not blocked for long.
inline constexpr int64_t kSweepIntervalMs = 60'000;
inline constexpr int64_t kMaxSweptRows = 500;

// How often the metrics of pending deliveries are updated.
inline constexpr int64_t kBacklogIntervalMs = 15'000;

}  // namespace patchbay::webhooks
