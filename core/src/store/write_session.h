// What the writer's connection can do inside an open transaction. On the writer's thread only.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "store/commit_notice.h"
#include "store/database.h"
#include "store/job.h"
#include "store/log_retention.h"
#include "store/statement_registry.h"

namespace patchbay::core {

struct Consumer {
  std::string name;
  std::vector<std::string> patterns;
};

struct WriteSessionOptions {
  std::string node;  // in whose name jobs are claimed
  size_t max_result_bytes = 0;
};

class WriteSession {
 public:
  // Borrows all three; the core's own schema must be registered.
  WriteSession(Database& db, const StatementRegistry& statements, const Clock& clock,
               WriteSessionOptions options);

  // Prepares, and reads what the log and the jobs left behind; before the first use.
  Status load();

  Status begin() { return step(begin_); }
  Status commit() { return step(commit_); }
  void roll_back();
  // A commit of its own that writes one page: to stand where one may stand that failed.
  Status overwrite_wal_tail();
  // Savepoints nest; undo_savepoint also ends it. What was announced since is forgotten.
  Status savepoint();
  Status release();
  Status undo_savepoint();
  // True when SQLite has rolled everything back by itself.
  bool lost() const { return db_.autocommit(); }

  Result<int64_t> exec(StatementId statement, const Values& values, Rows* rows);
  // One of the core's own statements, by a literal name.
  Result<int64_t> run(const char* name, const Values& values, Rows* rows = nullptr);

  Result<int64_t> emit(const EmitOp& op);
  Status ack(const AckOp& op);
  Result<int64_t> add_job(const JobAddOp& op);
  Status cancel_job(const JobCancelOp& op);
  Status finish_job(const JobDoneOp& op);
  Status retry_job(const JobRetryOp& op);
  Result<std::vector<Job>> claim_jobs(const std::string& kind, int64_t limit, int64_t lease_ms);

  Status put_consumer(const std::string& name, const std::string& patterns);
  // Code::conflict for one that is registered by this process, Code::not_found for one that is unknown.
  Status forget_consumer(const std::string& name);
  // Also forgets the consumers that nobody has registered since `unseen_since_ms`; removes at most `limit`
  // pending events.
  Result<ConsumerPurgeResult> purge_consumers(int64_t unseen_since_ms, int64_t limit);
  Result<PruneResult> prune(int64_t older_than_ms, PruneCursor from, int64_t limit);
  // Reads the consumers anew, after a commit that may have changed them.
  Status load_consumers();

  // Of the transactions run since the last take.
  CommitNotice take_notice() { return std::exchange(notice_, {}); }

 private:
  struct SavepointMark {
    size_t events, jobs;
  };
  int64_t next_id();
  Status step(PreparedStatement& statement);

  Database& db_;
  const Clock& clock_;
  const StatementRegistry& statements_;
  const WriteSessionOptions options_;
  StatementCache cache_;
  PreparedStatement begin_, commit_, savepoint_, release_, undo_;
  std::unordered_map<std::string_view, StatementId> core_;  // by name, the core's own
  int64_t last_id_ = 0;
  std::vector<Consumer> consumers_;
  std::set<std::string> live_consumers_;  // registered by this process
  CommitNotice notice_;
  std::vector<SavepointMark> marks_;  // one per open savepoint
};

}  // namespace patchbay::core
