// SQLite's connections: readers, and the writer with its time limits and checkpoints.
#pragma once

#include <chrono>

#include "store/database.h"
#include "store/sql_connection.h"
#include "store/write_timeouts.h"

namespace patchbay::core {

class SqliteReader final : public ReadConnection {
 public:
  explicit SqliteReader(Database db) : db_(std::move(db)) {}

  Result<std::unique_ptr<SqlStatement>> prepare(const Statement& statement) override;
  void limit(int64_t time_ms, const std::atomic<bool>& interrupted) override;
  bool limit_to_moment(const std::atomic<bool>& interrupted) override;

 private:
  void install(int64_t time_ms, int steps, int checks, const std::atomic<bool>& interrupted);
  static int is_overdue(void* reader);

  // owned
  Database db_;
  // state
  std::chrono::steady_clock::time_point deadline_;
  int checks_left_ = 0;
  const std::atomic<bool>* interrupted_ = nullptr;  // borrowed
};

class SqliteWriter final : public WriteConnection {
 public:
  // Borrows the database.
  SqliteWriter(Database& db, int64_t lock_timeout_ms);
  // Prepares the statements of transactions.
  Status start();

  Result<std::unique_ptr<SqlStatement>> prepare(const Statement& statement) override;
  Status begin() override { return step(begin_); }
  Status commit() override { return step(commit_); }
  Status settle(Error why) override;
  void roll_back() override;
  Status savepoint() override { return step(savepoint_); }
  Status release() override { return step(release_); }
  Status undo_savepoint() override;
  bool in_transaction() const override { return !db_.autocommit(); }

  void begin_task(int64_t budget_ms) override { timeouts_.begin_task(budget_ms); }
  void end_task() override { timeouts_.end_task(); }
  bool expired() const override { return timeouts_.expired(); }
  void cancel() noexcept override { timeouts_.cancel(); }
  bool cancelled() const noexcept override { return timeouts_.cancelled(); }

  void after_group() override;
  void finish() override;

 private:
  Status step(PreparedStatement& statement);
  Status overwrite_wal_tail();
  void checkpoint(int mode);

  // borrowed
  Database& db_;
  // owned
  WriteTimeouts timeouts_;
  PreparedStatement begin_, commit_, savepoint_, release_, undo_;
  // state
  const int64_t lock_timeout_ms_;
  int wal_pages_ = 0;
  int checkpoint_at_ = 0;  // pages
};

}  // namespace patchbay::core
