#include "store/sqlite_connection.h"

#include <cstdlib>
#include <limits>
#include <thread>

#include "store/limits.h"
#include "store/statement_registry.h"

namespace patchbay::core {
namespace {

class SqliteStatement final : public SqlStatement {
 public:
  SqliteStatement(const Database& db, PreparedStatement compiled) : db_(db), compiled_(std::move(compiled)) {}

  Result<int64_t> run(const Values& values, Rows* rows, size_t max_bytes) override {
    return compiled_.run(db_, values, rows, max_bytes);
  }
  Result<JsonRows> run_json(const Values& values, const JsonMembers& members, size_t max_bytes) override {
    return compiled_.run_json(db_, values, members, max_bytes);
  }
  Status run_later(const Values& values) override {
    PB_TRY(compiled_.run(db_, values, nullptr, kMaxResultBytes));
    return {};
  }

 private:
  const Database& db_;
  PreparedStatement compiled_;
};

Result<std::unique_ptr<SqlStatement>> prepare_on(const Database& db, const Statement& statement) {
  PB_TRY_VALUE(PreparedStatement compiled,
               PreparedStatement::prepare(db, statement.sql, statement.parameters));
  return std::unique_ptr<SqlStatement>(std::make_unique<SqliteStatement>(db, std::move(compiled)));
}

int note_wal_pages(void* pages, sqlite3*, const char*, int count) {
  *static_cast<int*>(pages) = count;
  return SQLITE_OK;
}

}  // namespace

Result<std::unique_ptr<SqlStatement>> SqliteReader::prepare(const Statement& statement) {
  return prepare_on(db_, statement);
}

void SqliteReader::limit(int64_t time_ms, const std::atomic<bool>& interrupted) {
  install(time_ms, kStepsPerTimeoutCheck, std::numeric_limits<int>::max(), interrupted);
}

bool SqliteReader::limit_to_moment(const std::atomic<bool>& interrupted) {
  install(kMaxDirectQueryMs, kStepsPerDirectCheck, kMaxDirectSteps / kStepsPerDirectCheck, interrupted);
  return true;
}

// Interrupts a statement that runs longer, or takes more than `checks` times `steps` steps.
void SqliteReader::install(int64_t time_ms, int steps, int checks, const std::atomic<bool>& interrupted) {
  deadline_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(time_ms);
  checks_left_ = checks;
  interrupted_ = &interrupted;
  sqlite3_progress_handler(db_.handle(), steps, &SqliteReader::is_overdue, this);
}

// Progress handler: a result other than 0 interrupts the query.
int SqliteReader::is_overdue(void* raw) {
  auto& reader = *static_cast<SqliteReader*>(raw);
  return --reader.checks_left_ <= 0 || reader.interrupted_->load(std::memory_order_relaxed) ||
         std::chrono::steady_clock::now() > reader.deadline_;
}

SqliteWriter::SqliteWriter(Database& db, int64_t lock_timeout_ms)
    : db_(db),
      timeouts_(log_stats_.lock_waits),
      lock_timeout_ms_(lock_timeout_ms),
      checkpoint_at_(kCheckpointPages) {}

Status SqliteWriter::start() {
  sqlite3_wal_hook(db_.handle(), note_wal_pages, &wal_pages_);
  timeouts_.install(db_.handle());
  timeouts_.set_lock_timeout(lock_timeout_ms_);
  PB_TRY_VALUE(begin_, PreparedStatement::prepare(db_, "BEGIN IMMEDIATE", 0));
  PB_TRY_VALUE(commit_, PreparedStatement::prepare(db_, "COMMIT", 0));
  PB_TRY_VALUE(savepoint_, PreparedStatement::prepare(db_, "SAVEPOINT pb", 0));
  PB_TRY_VALUE(release_, PreparedStatement::prepare(db_, "RELEASE pb", 0));
  PB_TRY_VALUE(undo_, PreparedStatement::prepare(db_, "ROLLBACK TO pb", 0));
  return {};
}

Result<std::unique_ptr<SqlStatement>> SqliteWriter::prepare(const Statement& statement) {
  return prepare_on(db_, statement);
}

Status SqliteWriter::step(PreparedStatement& statement) {
  PB_TRY(statement.run(db_, {}, nullptr, kMaxResultBytes));
  return {};
}

void SqliteWriter::roll_back() {
  if (!db_.autocommit()) (void)db_.run("ROLLBACK");
}

Status SqliteWriter::undo_savepoint() {
  PB_TRY(step(undo_));
  return step(release_);
}

// A commit whose fsync failed is in the log with its commit mark, so that the next start could find it.
// Overwrites it with another commit before the caller learns that it failed. When the disk refuses that too,
// exits the process, because only the next start can tell whether the commit is there.
Status SqliteWriter::settle(Error why) {
  const bool uncertain = db_.may_have_committed();
  roll_back();
  if (!uncertain) return why;
  ++log_stats_.unsynced;
  Status overwritten;
  for (int i = 0; i < kMaxOverwriteTries; ++i) {
    if (i > 0) std::this_thread::sleep_for(std::chrono::milliseconds(kOverwriteRetryMs));
    overwritten = overwrite_wal_tail();
    if (!overwritten) continue;
    hooks_.warn("a commit could not be synced to the disk and was rolled back");
    return why;
  }
  hooks_.on_fatal("the disk no longer accepts writes to the store's log (" + overwritten.error().text +
                  "): exiting");
  return why;
}

// Commits one page, to overwrite a failed commit at the end of the write-ahead log.
Status SqliteWriter::overwrite_wal_tail() {
  Status done = db_.run("BEGIN IMMEDIATE; PRAGMA user_version=1; COMMIT");
  roll_back();
  return done;
}

void SqliteWriter::after_group() {
  log_stats_.wal_pages.store(wal_pages_, std::memory_order_relaxed);
  if (wal_pages_ < checkpoint_at_) return;
  const bool too_long = wal_pages_ > kCheckpointPages * kMaxWalFactor;
  checkpoint(too_long ? SQLITE_CHECKPOINT_RESTART : SQLITE_CHECKPOINT_PASSIVE);
}

void SqliteWriter::finish() {
  if (!cancelled()) checkpoint(SQLITE_CHECKPOINT_TRUNCATE);
}

// Pages that cannot be moved now, because of a reader or a full disk, are tried again kCheckpointPages later.
void SqliteWriter::checkpoint(int mode) {
  int log_pages = 0, moved = 0;
  timeouts_.set_lock_timeout(kCheckpointLockWaitMs);
  int result = sqlite3_wal_checkpoint_v2(db_.handle(), nullptr, mode, &log_pages, &moved);
  timeouts_.set_lock_timeout(lock_timeout_ms_);
  ++(result == SQLITE_OK ? log_stats_.checkpoints : log_stats_.failed_checkpoints);
  // Once all pages are moved, the next commit restarts the log; if a reader prevents that, the hook's count
  // grows on.
  if (result == SQLITE_OK && log_pages == moved) wal_pages_ = 0;
  checkpoint_at_ = wal_pages_ + kCheckpointPages;
  log_stats_.wal_pages.store(wal_pages_, std::memory_order_relaxed);
}

}  // namespace patchbay::core
