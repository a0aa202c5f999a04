// An SQLite connection and a prepared statement; SQLite's error codes become Code. Use each on one thread.
#pragma once

#include <patchbay/result.h>
#include <sqlite3.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "store/json_rows.h"
#include "store/sql_value.h"
#include "store/store_clock.h"

namespace patchbay::core {

class Database {
 public:
  // Scratch: as write, for a file that is deleted afterwards, so that no commit waits for the disk.
  // Memory: without a file; `path` is only its name in errors.
  enum class Mode { write, read, scratch, memory };
  // Opens with WAL, synchronous=FULL and foreign keys on, double-quoted strings and schema edits off.
  // Mode::write creates a missing file with mode 0600.
  static Result<Database> open(const std::filesystem::path& path, Mode mode,
                               std::shared_ptr<const Clock> clock);

  sqlite3* handle() const { return handle_.get(); }
  // Runs SQL without parameters or rows; may be several statements.
  Status run(const char* sql);
  // Outside of a transaction: whether each commit waits for the disk, as it does after open(). A commit that
  // does not wait is durable with the next one that does; a crash before that loses it, but nothing else.
  Status sync_each_commit(bool on);
  // The error of the last call on this connection.
  Error error() const;
  // After a failed commit: true when the next start could find it all the same, because SQLite wrote it and
  // only the fsync failed.
  bool may_have_committed() const;
  // True when no transaction is open. After an I/O error SQLite may have rolled back by itself.
  bool autocommit() const { return sqlite3_get_autocommit(handle_.get()) != 0; }

 private:
  struct Closer {
    void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
  };
  // owned; the clock is shared with the store, as the SQL function behind {{NOW_MS}} calls it
  std::shared_ptr<const Clock> clock_;
  std::unique_ptr<sqlite3, Closer> handle_;
  // state
  Mode mode_ = Mode::read;
};

// A prepared statement with parameters $1..$n.
class PreparedStatement {
 public:
  static Result<PreparedStatement> prepare(const Database& db, std::string_view sql, int parameters);

  bool reads() const { return sqlite3_stmt_readonly(statement_.get()) != 0; }
  // Runs to completion. Returns the number of rows changed, or of rows read by a reading statement. `rows`
  // may be null. Fails with Code::exhausted when the rows take more than `max_bytes`.
  Result<int64_t> run(const Database& db, const Values& values, Rows* rows, size_t max_bytes);
  // The same for a reading statement, with its rows as JSON.
  Result<JsonRows> run_json(const Database& db, const Values& values, const JsonMembers& members,
                            size_t max_bytes);

 private:
  struct Finalizer {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  struct Run;
  Status bind(const Database& db, const Values& values);
  // Calls take_row() for each row, which returns the memory that the rows take so far.
  template <class TakeRow>
  Status step_all(const Database& db, size_t max_bytes, int64_t& seen, TakeRow take_row);

  std::unique_ptr<sqlite3_stmt, Finalizer> statement_;
  std::vector<int> slots_;  // SQLite numbers $n by first appearance, so each name is looked up
};

}  // namespace patchbay::core
