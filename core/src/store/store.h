// The store: state, event log and jobs that commit together, in one SQLite file.
//
// Threads: every function may be called from any thread. Those that take a `done` never block and call it
// exactly once: on one of the store's threads, or, when refused at the door (too much queued, or closed), at
// once on the caller's. A `done` must be quick (post to a strand), must not throw and must not call close().
// What a finished commit wrote is seen by every query posted after its `done`, and is on the disk.
//
// A database that cannot be written (full disk, read-only) answers commits with Code::unavailable and goes on
// serving queries; the next commit simply tries again. Code::unavailable means that it did not happen and
// will not, over a restart either.
//
// No transaction holds the writer for longer than `write_timeout_ms`: it is undone with Code::timeout, its
// statement is named, and those that waited beside it go on.
#pragma once

#include <patchbay/result.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "observe/exposition.h"
#include "store/clock.h"
#include "store/commit_notice.h"
#include "store/event.h"
#include "store/job.h"
#include "store/log_retention.h"
#include "store/schema_text.h"
#include "store/secret_box.h"
#include "store/transaction.h"
#include "store/value.h"

namespace patchbay::core {

struct StoreOptions {
  Clock now_ms;                    // empty: the system's; {{NOW_MS}} and all due times follow it
  std::string node = "node";       // the name under which epochs are counted
  std::filesystem::path key_file;  // empty: "sealing.key" in the database's folder
  int reader_threads = 2;
  size_t max_queued = 65536;  // commits, and queries, that may wait; more are Code::exhausted
  size_t max_queued_bytes = size_t{256} << 20;  // of the commits that wait; more are Code::exhausted
  size_t max_result_bytes = size_t{64} << 20;   // of one statement; more is Code::exhausted
  int64_t query_timeout_ms = 10'000;            // of a query once it runs; then Code::timeout
  int64_t write_timeout_ms = 5'000;             // of a transaction once it runs; then it is undone
  int64_t migration_timeout_ms = 600'000;       // of an owner's migrations
  int64_t lock_timeout_ms = 10'000;   // for a lock that another process holds; then Code::unavailable
  int64_t close_timeout_ms = 10'000;  // close() ends what runs after this, once for queries, once for commits
  int64_t max_pages = 0;              // budget of 4096-byte pages; beyond it the disk counts as full; 0: none
  // After each group commit, in commit order, on the writer's thread, after its `done`s. For the bus
  // (transient delivery, waking consumers) and for timers.
  std::function<void(CommitNotice&&)> on_committed;
  std::function<void(const std::string&)> warn;  // a sentence for the log
  // The disk takes no log any more and a commit is in doubt, which only the next start can settle. Empty:
  // warns and ends the process.
  std::function<void(const std::string&)> on_fatal;
};

struct StoreStats {
  // Each bucket's own count, the last for +Inf.
  struct Histogram {
    observe::Bounds bounds;
    std::vector<uint64_t> counts;
    double sum = 0;
  };
  uint64_t tasks = 0, refused = 0;  // written well; ended by an error
  uint64_t timeouts = 0;            // of those refused: ended because they took too long
  uint64_t commits = 0;             // groups, each one fsync
  uint64_t doubtful = 0;            // commits that were written but not synced, and undone
  uint64_t checkpoints = 0, failed_checkpoints = 0;
  uint64_t lock_waits = 0;  // for another process
  int64_t log_bytes = 0;    // of the write-ahead log, not yet moved into the file
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

  // Blocks: opens or creates, runs the core's migrations, retires this node's earlier epochs. Code::conflict
  // when another process has it open.
  static Result<std::unique_ptr<Store>> open(const std::filesystem::path& path, StoreOptions options);
  ~Store();
  // Finishes all that is queued, moves the log into the file. Blocks, within close_timeout_ms; what is not
  // finished by then, and later calls, are Code::gone.
  void close();

  // At start; blocks while migrations run, so not from a `done`. `owner` is a plugin's id. See schema_text.h.
  Status register_owner(std::string_view owner, std::string_view schema);
  Result<StatementId> statement(std::string_view owner, std::string_view name) const;
  // "" for a number nobody was given. What lets the host refuse a plugin the statements of another.
  std::string owner_of(StatementId statement) const;

  void commit(Transaction transaction, CommitDone done);
  void query(StatementId statement, Values values, Done<Rows> done);

  // A durable consumer gets every later event whose topic matches, pending until acknowledged by an AckOp;
  // also those that come while it is not running. Registering again replaces the patterns.
  void register_consumer(const std::string& name, const std::vector<std::string>& patterns, Done<void> done);
  // It gets no more events, and what is pending for it is removed by purge_consumers(). Registering it again
  // keeps what is not removed yet. Code::conflict while this process has it registered.
  void forget_consumer(const std::string& name, Done<void> done);
  // Forgets the consumers that no process has registered since `unseen_since_ms`, and removes up to `limit`
  // pending events of forgotten ones. Call again while `more`.
  void purge_consumers(int64_t unseen_since_ms, int64_t limit, Done<ConsumerPurgeResult> done);
  // All of them, by name.
  void consumers(Done<std::vector<ConsumerState>> done);
  // In order, those after `after_id` (0: all); fewer than `limit` also when they are large.
  void pending(std::string consumer, int64_t after_id, int64_t limit, Done<std::vector<LoggedEvent>> done);
  // The log after an id (0: from its start); an empty tenant means all.
  void read_log(std::string tenant, int64_t after_id, int64_t limit, Done<std::vector<LoggedEvent>> done);
  // Looks at up to `limit` events older than that, behind `from`, and forgets those that are pending nowhere
  // (their unique keys too). A slice costs the same whatever the log holds; call again while `more`.
  void prune(int64_t older_than_ms, PruneCursor from, int64_t limit, Done<PruneResult> done);

  // Claims due jobs, the longest due first. Not done within the lease, they are claimed again with a higher
  // fence.
  void claim_jobs(const std::string& kind, int64_t limit, int64_t lease_ms, Done<std::vector<Job>> done);
  // When the next job (or lease) of that kind is due; INT64_MAX: never.
  void next_due(std::string kind, Done<int64_t> done);

  int64_t epoch() const;  // of this node, this start; 1, 2, ...
  const SecretBox& secret_box() const;
  StoreStats stats() const;

 private:
  class Impl;
  explicit Store(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// The consumers of a database that another process may have open. Blocks.
Result<std::vector<ConsumerState>> read_consumers(const std::filesystem::path& path);

// The core's own schema text (schema.sql), for the tests of other databases.
std::string_view core_schema();

}  // namespace patchbay::core
