// The limits of transcripts that are not settings.
#pragma once

#include <cstddef>
#include <cstdint>

namespace patchbay::transcripts {

// A document that is saved, and a file that is read, which an earlier version may have written.
inline constexpr size_t kMaxDocumentBytes = size_t{16} * 1024 * 1024;
inline constexpr size_t kMaxFileBytes = size_t{64} * 1024 * 1024;
inline constexpr int64_t kMaxAttempt = 1000;

// How often old transcripts are deleted, and how many in one transaction, so that others do not wait.
inline constexpr int64_t kSweepIntervalMs = 3'600'000;
inline constexpr int64_t kMaxSweptRows = 200;

// Files of deleted transcripts: so many are removed at once; a removal that failed is tried again.
inline constexpr uint32_t kMaxFileRemovals = 4;
inline constexpr int64_t kFileRemovalLeaseMs = 60'000;
inline constexpr int64_t kFileRemovalRetryMs = 3'600'000;

// A token of 43 characters of [0-9A-Za-z] holds 256 random bits. 8 of them are shown in lists and events.
inline constexpr size_t kShareTokenSize = 43;
inline constexpr size_t kShownTokenSize = 8;
// Requests for unknown shares per address: so many at once, then one in two seconds.
inline constexpr double kShareMissBurst = 30;
inline constexpr double kShareMissesPerSecond = 0.5;
inline constexpr int64_t kMaxPrunedRows = 1000;  // of shares, and of mails

// Outcome mails: so many are sent at once, and of each tenant, so that a slow server of one does not delay
// the mails of others. Each attempt may take so long. The lease is longer than that, the time for composing
// and the longest wait for the first limit. Ended ones are listed for 30 days.
inline constexpr size_t kMaxMailsInFlight = 256;
inline constexpr uint32_t kMaxMailsPerTenant = 8;
inline constexpr int64_t kMailTimeoutMs = 60'000;
inline constexpr int64_t kMaxMailWaitMs = 180'000;
inline constexpr int64_t kMailLeaseMs = 300'000;
// How often mails are looked for that another server on the database has left.
inline constexpr int64_t kMailTenantsIntervalMs = 60'000;
inline constexpr int64_t kMailStoreRetryMs = 1000;  // while the store is not available
inline constexpr int64_t kMailKeepMs = int64_t{30} * 86'400'000;
inline constexpr size_t kMaxMailErrorBytes = 200;

}  // namespace patchbay::transcripts
