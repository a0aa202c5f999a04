// The store: state, event log and jobs that commit together, in one SQLite file or a PostgreSQL database.
//
// Threads: any thread may call any function. A function with a `done` never blocks and calls it exactly once:
// on one of the store's threads, or, when the store refuses the call (queue full, or closed), on the caller's
// before it returns. A `done` must be quick (post to a strand), must not throw and must not call close().
// When a commit's `done` reports success, its changes are durable, and every query posted afterwards sees
// them.
//
// When the database cannot be written (full disk, read-only), commits fail with Code::unavailable, queries
// still work, and the next commit tries again. A commit that failed with Code::unavailable did not happen,
// and a restart does not bring it back.
//
// A transaction that runs longer than `write_timeout_ms` is rolled back with Code::timeout and the name of
// its statement; the other transactions of its group are committed.
#pragma once

#include <patchbay/result.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "observe/exposition.h"
#include "store/commit_notice.h"
#include "store/consumer_state.h"
#include "store/job.h"
#include "store/json_cache.h"
#include "store/json_query.h"
#include "store/limits.h"
#include "store/logged_event.h"
#include "store/prune_result.h"
#include "store/schema_parser.h"
#include "store/secret_box.h"
#include "store/sql_value.h"
#include "store/store_clock.h"
#include "store/tenant_log.h"
#include "store/transaction.h"

namespace patchbay::core {

struct StoreOptions {
  Clock now_ms;  // clock of {{NOW_MS}} and all due times; empty: the system clock
  // Connection string or URL of a PostgreSQL database; empty: SQLite. Then `path` is only the name under
  // which files are kept: the sealing key, a lock, and the node's name.
  std::string postgres;
  std::string postgres_password;  // for it; empty: what the connection string and libpq's files say
  // This node's name, for epochs and job claims; empty: "node", or on PostgreSQL a random name in the file
  // "node" in the database's folder.
  std::string node;
  std::filesystem::path key_file;  // empty: "sealing.key" in the database's folder
  bool scratch = false;            // the folder is deleted afterwards: nothing waits for the disk
  int reader_threads = kReaderThreads;
  size_t max_queued = kMaxQueuedTasks;  // waiting commits, and waiting queries; beyond it Code::exhausted
  size_t max_queued_bytes = kMaxQueuedTaskBytes;       // of the waiting commits; beyond it Code::exhausted
  size_t max_result_bytes = kMaxResultBytes;           // of one statement; beyond it Code::exhausted
  int64_t query_timeout_ms = kQueryTimeoutMs;          // run time of a query; beyond it Code::timeout
  int64_t write_timeout_ms = kWriteTimeoutMs;          // run time of a transaction; beyond it Code::timeout
  int64_t migration_timeout_ms = kMigrationTimeoutMs;  // run time of an owner's migrations
  int64_t lock_timeout_ms = kLockTimeoutMs;  // wait for another process's lock; beyond it Code::unavailable
  int64_t close_timeout_ms =
      kCloseTimeoutMs;    // wait of close() for queries, then for commits; then it interrupts
  int64_t max_pages = 0;  // size limit in pages of 4096 bytes; beyond it the disk counts as full; 0: none
  // Called on the writer's thread after each group commit and its `done`s, in commit order. The host
  // publishes the events on the bus, wakes consumers and sets timers.
  std::function<void(CommitNotice&&)> on_committed;
  std::function<void(const std::string&)> warn;  // writes a message to the log
  // Called when the disk accepts no more writes and it is unknown whether a failed commit is on it, which
  // only the next start can settle. Empty: warns and exits the process.
  std::function<void(const std::string&)> on_fatal;
};

struct StoreStats {
  // Counts are per bucket, not cumulative; the last is for +Inf.
  struct Histogram {
    observe::Bounds bounds;
    std::vector<uint64_t> counts;
    double sum = 0;
  };
  uint64_t tasks = 0, refused = 0;  // succeeded; failed
  uint64_t timeouts = 0;            // of the refused: interrupted because they took too long
  uint64_t commits = 0;             // group commits, one fsync each
  uint64_t unsynced = 0;            // commits whose fsync failed, and that were overwritten
  uint64_t checkpoints = 0, failed_checkpoints = 0;
  uint64_t lock_waits = 0;  // for a lock of another process
  int64_t log_bytes = 0;    // of the write-ahead log, not yet moved into the database file
  size_t queued = 0, queued_bytes = 0;
  Histogram group_tasks, commit_seconds;

  uint64_t reads = 0, refused_reads = 0, read_timeouts = 0;
  size_t queued_reads = 0;
};

class Store {
 public:
  template <class T>
  using Done = std::function<void(Result<T>)>;
  using CommitDone = std::function<void(CommitResult)>;

  // Opens or creates the database, runs the core's migrations and retires this node's earlier epochs. Blocks.
  // Fails with Code::conflict when another process has the database open; on PostgreSQL, the same folder.
  static Result<std::unique_ptr<Store>> open(const std::filesystem::path& path, StoreOptions options);
  ~Store();
  // Completes everything queued and moves the write-ahead log into the file. Blocks, bounded by
  // close_timeout_ms; calls that are not complete by then, and later ones, fail with Code::gone.
  void close();

  // Runs the owner's migrations and registers its statements. Blocks, so not from a `done`. `owner` is a
  // plugin's id. See schema_parser.h.
  Status register_owner(std::string_view owner, std::string_view schema);
  Result<StatementId> statement(std::string_view owner, std::string_view name) const;
  // Returns "" for an unknown number. The host uses it to refuse a plugin another plugin's statements.
  std::string owner_of(StatementId statement) const;

  void commit(Transaction transaction, CommitDone done);
  void query(StatementId statement, Values values, Done<Rows> done);
  // [any that may block] The result of a quick query, run on the calling thread; nothing: use query(),
  // because it takes more than a moment or every connection is in use.
  std::optional<Result<Rows>> query_here(StatementId statement, const Values& values);

  // The rows as JSON, kept for the same query until a commit may have changed a table of the owner; on a
  // database that is shared for a second at most, in which other processes' commits may not show.
  void query_json(JsonQuery query, Done<JsonRowsPtr> done);
  std::optional<Result<JsonRowsPtr>> query_json_here(const JsonQuery& query);
  // Null: they are not kept.
  JsonRowsPtr kept_json(const JsonQuery& query);

  // Registers a durable consumer. Every later event with a matching topic is pending for it until an AckOp
  // acknowledges it, also while the consumer does not run. Registering again replaces the patterns.
  void register_consumer(const std::string& name, const std::vector<std::string>& patterns, Done<void> done);
  // Stops delivery to the consumer; purge_consumers() removes its pending events. Registering it again keeps
  // those not removed yet. Fails with Code::conflict while this process has it registered.
  void forget_consumer(const std::string& name, Done<void> done);
  // Forgets the consumers that no process has registered since `unseen_since_ms`, and removes up to `limit`
  // pending events of forgotten ones. Call again while the result says `more`.
  void purge_consumers(int64_t unseen_since_ms, int64_t limit, Done<ConsumerPurgeResult> done);
  // Lists all consumers, sorted by name.
  void consumers(Done<std::vector<ConsumerState>> done);
  // Reads a consumer's pending events after `after_id` (0: from the first), in order. Returns fewer than
  // `limit` when they are large.
  void pending(std::string consumer, int64_t after_id, int64_t limit, Done<std::vector<LoggedEvent>> done);
  // Reads the event log of all tenants after `after_id` (0: from its start).
  void read_log(int64_t after_id, int64_t limit, Done<std::vector<LoggedEvent>> done);
  // Reads a tenant's events after the number `after` (0: from its first). Returns fewer than `limit` when
  // they are large. A number is given in the commit's order, so a reader that continues with the last number
  // that it got misses no event.
  void read_tenant_log(std::string tenant, int64_t after, int64_t limit, Done<TenantLog> done);
  // Visits up to `limit` events older than `older_than_ms`, after `from`, and removes those that are pending
  // for no consumer, with their unique keys. The cost does not depend on the log's size. Call again while the
  // result says `more`.
  void prune(int64_t older_than_ms, PruneCursor from, int64_t limit, Done<PruneResult> done);

  // Claims due jobs, longest due first. A job that is not done within the lease can be claimed again, with a
  // higher fence.
  void claim_jobs(const std::string& kind, int64_t limit, int64_t lease_ms, Done<std::vector<Job>> done);
  // Returns when the next job of the kind is due or its lease expires; INT64_MAX: never.
  void next_due(std::string kind, Done<int64_t> done);

  int64_t epoch() const;  // number of this node's starts: 1, 2, ...
  // This node's name, which with the epoch names the process among all that use or used the database.
  const std::string& node() const;
  bool is_shared() const;  // other processes may use the database at the same time
  const SecretBox& secret_box() const;
  StoreStats stats() const;

 private:
  class Impl;
  explicit Store(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Lists the consumers of a database, which another process may have open. Blocks. As Store::open, `postgres`
// and `password` as in StoreOptions.
Result<std::vector<ConsumerState>> read_consumers(const std::filesystem::path& path,
                                                  const std::string& postgres = {},
                                                  const std::string& password = {});

// The core's schema text (schema.sql), for tests against other databases.
std::string_view core_schema();

}  // namespace patchbay::core
