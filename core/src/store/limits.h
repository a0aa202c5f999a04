// Limits and timeouts of the store. Those of the first part are the defaults of StoreOptions. How long events
// are kept is in event_retention.h.
#pragma once

#include <cstddef>
#include <cstdint>

namespace patchbay::core {

inline constexpr int kReaderThreads = 2;
inline constexpr size_t kMaxQueuedTasks = 65'536;  // commits, and as many queries; further ones are refused
inline constexpr size_t kMaxQueuedTaskBytes = size_t{256} << 20;  // of commits
inline constexpr size_t kMaxResultBytes = size_t{64} << 20;       // of one statement
inline constexpr int64_t kQueryTimeoutMs = 10'000;
inline constexpr int64_t kWriteTimeoutMs = 5'000;        // of one transaction
inline constexpr int64_t kMigrationTimeoutMs = 600'000;  // of one owner's migrations
inline constexpr int64_t kLockTimeoutMs = 10'000;        // for another process's lock
inline constexpr int64_t kCloseTimeoutMs = 10'000;       // for queries, then for commits

// Of a transaction that a plugin builds; further operations are refused.
inline constexpr size_t kMaxTransactionBytes = size_t{32} << 20;

// Of an event's payload, so that a consumer can read and process many events at once.
inline constexpr size_t kMaxPayloadBytes = size_t{256} << 10;

// Jobs.
inline constexpr int64_t kMinLeaseMs = 1'000;
inline constexpr int64_t kMaxLeaseMs = int64_t{24} * 3600 * 1000;
inline constexpr size_t kMaxClaimedBytes = size_t{16} << 20;  // a claim takes no more jobs beyond

inline constexpr int64_t kMaxCountedPending = 100'000;  // pending events of a consumer, in reports

// Secrets and schemas.
inline constexpr size_t kMaxSealingKeys = 64;                  // in the key file
inline constexpr size_t kMaxCatalogueBytes = size_t{1} << 20;  // of the names of all tables

// The writer's groups of transactions, each committed with one fsync.
inline constexpr size_t kMaxGroupTasks = 256;
inline constexpr int kSavepointGroups = 16;      // that get savepoints after one in which a task failed
inline constexpr int kMaxRunsAgain = 5;          // of a group that met a deadlock or a lost connection
inline constexpr int64_t kMaxGroupTimeMs = 500;  // then the group is committed; other tasks form the next
inline constexpr int64_t kLockRetryMs = 2;       // while another process holds the lock
inline constexpr int kMaxOverwriteTries = 10;    // of a commit whose fsync failed; then the process exits
inline constexpr int64_t kOverwriteRetryMs = 100;

// The write-ahead log.
inline constexpr int kCheckpointPages = 1'000;  // of 4 KiB; then a checkpoint moves them into the file
inline constexpr int kMaxWalFactor = 8;         // times kCheckpointPages; then a checkpoint waits for readers
inline constexpr int64_t kCheckpointLockWaitMs = 100;
inline constexpr int64_t kMaxWalFileBytes = int64_t{64}
                                            << 20;  // the file is cut to this size after a checkpoint

inline constexpr int kStepsPerTimeoutCheck = 10'000;  // of SQLite's virtual machine

// Queries on their caller's thread, which serves others, too. Beyond one of these a reader thread runs the
// query: steps of SQLite's virtual machine (about a millisecond), and time, because the disk may be slow. The
// clock is read every kStepsPerDirectCheck steps, so that one slow read of the disk is not cut short.
inline constexpr int kMaxDirectSteps = 20'000;
inline constexpr int64_t kMaxDirectQueryMs = 20;
inline constexpr int kStepsPerDirectCheck = 100;
inline constexpr int kSlowQueries = 100;  // of a statement that took too long, before it is tried there again

// Results of queries as JSON that are kept for the next request: of all, of one, and of its statement,
// parameters and members.
inline constexpr size_t kMaxCachedResults = 64;
inline constexpr size_t kMaxCachedBytes = size_t{4} << 20;
inline constexpr size_t kMaxCachedResultBytes = size_t{512} << 10;
inline constexpr size_t kMaxCachedKeyBytes = size_t{4} << 10;

}  // namespace patchbay::core
