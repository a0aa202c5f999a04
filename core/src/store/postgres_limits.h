// Limits and timeouts of the store on PostgreSQL.
#pragma once

#include <cstdint>

namespace patchbay::core {

inline constexpr int kMinPostgresVersion = 150'000;  // of the server

// Connecting. Keys of the connection string win over these.
inline constexpr const char* kPostgresConnectTimeoutS = "2";
inline constexpr const char* kPostgresTcpUserTimeoutMs = "3000";  // unacknowledged data; then it is lost
inline constexpr const char* kPostgresKeepaliveIdleS = "5";
inline constexpr const char* kPostgresKeepaliveIntervalS = "2";
inline constexpr const char* kPostgresKeepaliveCount = "3";
// Between attempts; the sum with connecting is below 5 s, the limit for the recovery.
inline constexpr int64_t kPostgresMinRetryMs = 50;
inline constexpr int64_t kPostgresMaxRetryMs = 2'000;

// Of a wait without a deadline, such as a commit's; then the connection counts as lost.
inline constexpr int64_t kPostgresPatienceMs = 10'000;
inline constexpr int64_t kPostgresCancelMs = 2'000;             // for the answer to a cancelled command
inline constexpr int64_t kPostgresPollMs = 100;                 // how often a wait looks whether it is to end
inline constexpr int64_t kPostgresSettleMs = 50;                // between questions whether a commit happened
inline constexpr int64_t kPostgresIdleInTransactionMs = 5'000;  // of a process that hangs; the server ends it

inline constexpr int kPostgresReaders = 4;  // a reader waits for the server most of the time

// Nodes. A lease is longer than the pauses of a busy machine, and short enough that the rows of a killed
// process are taken over within 10 s.
inline constexpr int64_t kNodeLeaseMs = 6'000;
inline constexpr int64_t kNodeForgetMs = int64_t{30} * 24 * 3600 * 1000;  // after its end a row is removed
inline constexpr int64_t kNodeWatchMs = 1'000;  // between renewals, and looks for other processes' changes
inline constexpr int64_t kMinHintMs = 100;      // between hints of one process: NOTIFY holds up other commits
// Of the thread that renews the lease: what else it does may stand still, for example because a table is
// locked, and must end before a lease does. Then statements are cancelled, and tried again at the next look.
inline constexpr int64_t kMaxRenewalMs = 2'000;
inline constexpr int64_t kMaxLookMs = 1'000;      // after the renewal
inline constexpr int64_t kMaxHintWaitMs = 1'000;  // of a NOTIFY, whose hints are lost
// Without a renewal that another node has seen; then a node is dead. Half an interval less than a lease, so
// that the sixth look finds it and never the seventh.
inline constexpr int64_t kMaxNodeSilenceMs = 5'500;
// Between two renewals; beyond it the database may have stood still, and with it the renewals of all nodes.
inline constexpr int64_t kMaxRenewalGapMs = 3'000;
inline constexpr int64_t kMaxWatchedEvents = 1'000;  // read at once

// The age of a kept JSON result: so long may another process's change be unseen, of the 2 s within which
// processes see each other's changes.
inline constexpr int64_t kPostgresKeptMs = 1'000;

}  // namespace patchbay::core
