// One SQLite connection, and the way its error codes become ours. A connection belongs to one thread.
#pragma once

#include <patchbay/result.h>
#include <sqlite3.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "store/clock.h"
#include "store/value.h"

namespace patchbay::core {

class Database {
 public:
  enum class Mode { write, read };
  // WAL, synchronous=FULL, foreign keys on; double-quoted strings and schema edits off. The file is created
  // 0600.
  static Result<Database> open(const std::filesystem::path& path, Mode mode,
                               std::shared_ptr<const Clock> clock);

  sqlite3* handle() const { return handle_.get(); }
  // SQL without parameters or rows; several statements are fine.
  Status run(const char* sql);
  // Why the last call on this connection failed.
  Error error() const;
  // After a commit that failed: whether a restart could find it all the same, because it was written but not
  // synced.
  bool may_have_committed() const;
  // True when nothing is open: after an I/O error SQLite may have rolled back by itself.
  bool autocommit() const { return sqlite3_get_autocommit(handle_.get()) != 0; }

 private:
  struct Closer {
    void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
  };
  // Owned; the clock is shared with the SQL function {{NOW_MS}} of each connection.
  std::shared_ptr<const Clock> clock_;
  std::unique_ptr<sqlite3, Closer> handle_;
};

// One prepared statement of ours with parameters $1..$n.
class PreparedStatement {
 public:
  static Result<PreparedStatement> prepare(const Database& db, std::string_view sql, int parameters);

  bool reads() const { return sqlite3_stmt_readonly(statement_.get()) != 0; }
  // Runs it to the end. Returns rows changed, or for a reading statement rows seen. `rows` may be null.
  Result<int64_t> run(const Database& db, const Values& values, Rows* rows, size_t max_bytes);

 private:
  struct Finalizer {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  Status bind(const Database& db, const Values& values);
  Status step_all(const Database& db, Rows* rows, size_t max_bytes, int64_t& seen);

  std::unique_ptr<sqlite3_stmt, Finalizer> statement_;
  std::vector<int> slots_;  // SQLite numbers $n by first appearance, so each name is looked up
};

}  // namespace patchbay::core
