// The connections of a database as the store uses them, whatever database it is: prepared statements, the one
// connection that writes, and those that read. Implemented for SQLite (sqlite_connection.h).
#pragma once

#include <patchbay/result.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "store/json_rows.h"
#include "store/sql_value.h"

namespace patchbay::core {

struct Statement;

// A prepared statement. Used on its connection's thread.
class SqlStatement {
 public:
  virtual ~SqlStatement() = default;
  // Runs to completion. Returns the number of rows changed, or of rows read by a reading statement. `rows`
  // may be null. Fails with Code::exhausted when the rows take more than `max_bytes`.
  virtual Result<int64_t> run(const Values& values, Rows* rows, size_t max_bytes) = 0;
  // The same for a reading statement, with its rows as JSON.
  virtual Result<JsonRows> run_json(const Values& values, const JsonMembers& members, size_t max_bytes) = 0;
  // Runs at the latest together with the connection's next statement, which fails if this one does. For a
  // statement of the core whose result is not needed, because it saves a wait for a database elsewhere.
  virtual Status run_later(const Values& values) = 0;
};

class SqlConnection {
 public:
  virtual ~SqlConnection() = default;
  virtual Result<std::unique_ptr<SqlStatement>> prepare(const Statement& statement) = 0;
};

// Used by one thread at a time.
class ReadConnection : public SqlConnection {
 public:
  // Limits the queries from now on; they fail with Code::timeout beyond. `interrupted` interrupts them, too.
  virtual void limit(int64_t time_ms, const std::atomic<bool>& interrupted) = 0;
  // The same for a query on its caller's thread, which must take a moment only. False: this database answers
  // no query there.
  virtual bool limit_to_moment(const std::atomic<bool>& interrupted) = 0;
};

// What the writing connection did besides transactions.
struct LogStats {
  std::atomic<uint64_t> unsynced{0};  // commits whose fsync failed, and that were overwritten
  std::atomic<uint64_t> checkpoints{0};
  std::atomic<uint64_t> failed_checkpoints{0};
  std::atomic<uint64_t> lock_waits{0};  // for a lock of another process
  std::atomic<int> wal_pages{0};        // of the write-ahead log, not yet moved into the database file
};

// Writer's thread only, except for functions marked [any].
class WriteConnection : public SqlConnection {
 public:
  // What the connection asks of its writer. None is empty.
  struct Hooks {
    std::function<void(const std::string&)> warn;
    std::function<void(const std::string&)> on_fatal;  // returns only in tests
    std::function<void(const Error&)> refuse_waiting;  // fails the tasks that wait, while it is stuck
  };
  // Called once, before the writer's thread starts.
  void attach(Hooks hooks) { hooks_ = std::move(hooks); }

  virtual Status begin() = 0;
  virtual Status commit() = 0;
  // After commit() has failed with `why`: settles whether it happened, which may take as long as the database
  // is away, and returns that. Ends the transaction.
  virtual Status settle(Error why) = 0;
  virtual void roll_back() = 0;  // no-op without a transaction
  // Savepoints nest. undo_savepoint() also ends it.
  virtual Status savepoint() = 0;
  virtual Status release() = 0;
  virtual Status undo_savepoint() = 0;
  // False: none was begun, or the database has rolled back the whole transaction by itself.
  virtual bool in_transaction() const = 0;
  // True when the transaction was rolled back for a reason that passes, such as a deadlock with another
  // process: the writer runs it again.
  virtual bool may_run_again() const { return false; }

  // True when other processes write to the database, too: what one keeps in memory may be outdated.
  virtual bool is_shared() const { return false; }

  // Interrupts SQL that still runs after `budget_ms`; it fails with Code::timeout.
  virtual void begin_task(int64_t budget_ms) = 0;
  virtual void end_task() = 0;
  virtual bool expired() const = 0;  // SQL was interrupted since begin_task()
  // [any] Interrupts running SQL, and ends all waiting from now on.
  virtual void cancel() noexcept = 0;
  virtual bool cancelled() const noexcept = 0;

  virtual void after_group() {}  // after each group of transactions
  virtual void finish() {}       // after the last one

  // [any]
  const LogStats& log_stats() const noexcept { return log_stats_; }

 protected:
  Hooks hooks_;
  LogStats log_stats_;
};

}  // namespace patchbay::core
