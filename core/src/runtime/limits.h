// Limits and timeouts of strands, workers and media loops.
#pragma once

#include <cstddef>
#include <cstdint>

namespace patchbay::core {

// Strands.
inline constexpr int64_t kStrandStallMs =
    5'000;                                   // a task that runs longer is reported; a spare thread starts
inline constexpr int kMaxTasksPerTurn = 64;  // then another strand gets the thread
inline constexpr unsigned kMaxSpareThreads = 32;  // in place of threads that hang in a task
inline constexpr size_t kMaxGuests = 64;   // threads that run strands as guests at once; further ones post
inline constexpr int kMaxGuestTurns = 64;  // of one task; then executor threads go on, as the guest has a job
inline constexpr int kMaxStalledPerOwner = 8;         // threads; then no strand of that plugin runs
inline constexpr int64_t kMaxWaitingPosts = 262'144;  // of one plugin; further ones are refused
inline constexpr int64_t kMaxPooledPosts = 4'096;  // of these, from media loops, where nothing is allocated
inline constexpr size_t kPostPoolSize = 8'192;     // for all plugins

// Memory pools, for each size of blocks.
inline constexpr size_t kPooledBlockBatch = 32;               // blocks that a thread and the stock exchange
inline constexpr size_t kMaxPooledBytes = size_t{512} << 10;  // free in the stock; further ones to the heap

// Worker threads.
inline constexpr unsigned kMinWorkers = 4;  // that stay once started
inline constexpr unsigned kMaxWorkers = 16;
inline constexpr size_t kMaxWaitingJobs = 1'024;  // further ones are refused
inline constexpr int64_t kWorkerIdleMs = 30'000;  // then a worker above kMinWorkers exits

// Media loops.
inline constexpr int kMaxCatchUpTicks = 3;             // run at once when late; further ones are skipped
inline constexpr int64_t kMediaStallMs = 1'000;        // a tick that runs longer is reported
inline constexpr int64_t kMediaStopTimeoutMs = 5'000;  // for a tick to return; then its loop is leaked

}  // namespace patchbay::core
