// The operations of the writer's connection inside an open transaction. Writer's thread only.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "store/commit_notice.h"
#include "store/job.h"
#include "store/prune_result.h"
#include "store/sql_connection.h"
#include "store/statement_registry.h"
#include "store/store_clock.h"

namespace patchbay::core {

struct Consumer {
  std::string name;
  std::vector<std::string> patterns;
};

struct WriteSessionOptions {
  std::string node;  // claims jobs under this name
  size_t max_result_bytes = 0;
};

class WriteSession {
 public:
  // Borrows the connection, statements and clock. The core's schema must be registered.
  WriteSession(WriteConnection& connection, const StatementRegistry& statements, const Clock& clock,
               WriteSessionOptions options);

  // Reads the last id and the consumers. Call before the first use.
  Status load();

  Status begin();
  Status commit();
  void roll_back();
  // Savepoints nest. undo_savepoint() also ends it, and drops the notices added since.
  Status savepoint();
  Status release();
  Status undo_savepoint();
  // All but the first `count` open ones.
  Status undo_savepoints(size_t count);
  // True when the database has rolled back the whole transaction by itself.
  bool rolled_back() const { return !connection_.in_transaction(); }

  Result<int64_t> exec(StatementId statement, const Values& values, Rows* rows);
  // Runs one of the core's statements. `name` must be a literal, because the session keeps a view of it.
  Result<int64_t> run(const char* name, const Values& values, Rows* rows = nullptr);

  Result<int64_t> emit(const EmitOp& op);
  Status ack(const AckOp& op);
  Result<int64_t> add_job(const JobAddOp& op);
  Status cancel_job(const JobCancelOp& op);
  Status finish_job(const JobDoneOp& op);
  Status retry_job(const JobRetryOp& op);
  Result<std::vector<Job>> claim_jobs(const std::string& kind, int64_t limit, int64_t lease_ms);

  // These two are transactions.
  Status put_consumer(const std::string& name, const std::string& patterns);
  // Fails with Code::conflict while this process has it registered, Code::not_found when it is unknown.
  Status forget_consumer(const std::string& name);
  // Forgets the consumers that no process has registered since `unseen_since_ms`, and removes at most `limit`
  // pending events of forgotten ones.
  Result<ConsumerPurgeResult> purge_consumers(int64_t unseen_since_ms, int64_t limit);
  Result<PruneResult> prune(int64_t older_than_ms, PruneCursor from, int64_t limit);
  // Sets the epoch under which jobs are claimed.
  void set_epoch(int64_t epoch) { epoch_ = epoch; }
  // Reloads the consumers, after a commit that may have changed them.
  Status load_consumers();

  // Returns the events and jobs added since the last call.
  CommitNotice take_commit_notice() { return std::exchange(notice_, {}); }

 private:
  struct SavepointMark {
    size_t events, jobs, changed;
  };
  int64_t next_id();
  Status take_turn();
  Status run_later(const char* name, const Values& values);
  Result<StatementId> core_statement(const char* name);
  Status consumers_changed();

  // borrowed
  WriteConnection& connection_;
  const Clock& clock_;
  const StatementRegistry& statements_;
  // owned
  const WriteSessionOptions options_;
  StatementCache cache_;
  std::unordered_map<std::string_view, StatementId> core_;  // the core's statements, by name
  // state
  int64_t last_id_ = 0;
  int64_t epoch_ = 0;
  // Of a shared database, as the last transaction found them.
  int64_t shared_last_id_ = 0;
  int64_t consumers_rev_ = -1;
  std::vector<Consumer> consumers_;
  std::set<std::string> live_consumers_;  // registered by this process
  CommitNotice notice_;
  std::vector<SavepointMark> marks_;  // one per open savepoint
};

}  // namespace patchbay::core
