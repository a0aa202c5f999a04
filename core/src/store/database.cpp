#include "store/database.h"

#include <fcntl.h>
#include <patchbay/descriptor.h>

#include <cerrno>
#include <cstring>

#include "store/column_cell.h"
#include "store/limits.h"

namespace patchbay::core {
namespace {

constexpr int kOpenLockTimeoutMs = 2'000;  // for another process's lock, while a connection is opened

Code code_of(int sqlite_code) {
  switch (sqlite_code & 0xff) {
    case SQLITE_CONSTRAINT:
      return Code::conflict;
    case SQLITE_FULL:
    case SQLITE_READONLY:
    case SQLITE_IOERR:
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_PROTOCOL:
      return Code::unavailable;
    case SQLITE_NOMEM:
    case SQLITE_TOOBIG:
      return Code::exhausted;
    case SQLITE_MISMATCH:
      return Code::invalid;
    case SQLITE_INTERRUPT:
      return Code::timeout;
    case SQLITE_AUTH:
      return Code::denied;
    default:
      return Code::failed;
  }
}

void now_function(sqlite3_context* context, int, sqlite3_value**) {
  const auto* clock = static_cast<const Clock*>(sqlite3_user_data(context));
  sqlite3_result_int64(context, (*clock)());
}

// Creates the file with mode 0600, because SQLite would apply the umask and the store holds transcripts.
// SQLite gives -wal and -shm the mode of the file.
Status create_private(const std::filesystem::path& path) {
  const Descriptor fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!fd) return {Code::unavailable, "cannot open " + path.string() + ": " + std::strerror(errno)};
  return {};
}

// Fails where WAL is impossible, because SQLite would silently stay in its old mode, in which readers and the
// writer block each other.
Status use_wal(const Database& db) {
  PB_TRY_VALUE(PreparedStatement pragma, PreparedStatement::prepare(db, "PRAGMA journal_mode=WAL", 0));
  Rows rows;
  PB_TRY(pragma.run(db, {}, &rows, 1024));
  if (!rows.empty() && rows.text(0, 0) == "wal") return {};
  return {Code::unsupported, "its file system has no shared memory for a write-ahead log; use a local one"};
}

// The columns of the row that a statement is at. Text before its size, as SQLite asks.
struct Columns {
  ValueType type(int column) const {
    switch (sqlite3_column_type(statement, column)) {
      case SQLITE_INTEGER:
        return ValueType::integer;
      case SQLITE_FLOAT:
        return ValueType::real;
      case SQLITE_TEXT:
        return ValueType::text;
      case SQLITE_BLOB:
        return ValueType::bytes;
      default:
        return ValueType::null;
    }
  }
  int64_t integer(int column) const { return sqlite3_column_int64(statement, column); }
  double real(int column) const { return sqlite3_column_double(statement, column); }
  std::string_view data(int column) const {
    const auto* raw = static_cast<const char*>(sqlite3_column_blob(statement, column));
    if (raw == nullptr) return "";
    return {raw, static_cast<size_t>(sqlite3_column_bytes(statement, column))};
  }

  sqlite3_stmt* statement;
};

int bind_value(sqlite3_stmt* statement, int slot, const Value& value) {
  switch (value.type) {
    case ValueType::integer:
      return sqlite3_bind_int64(statement, slot, value.integer);
    case ValueType::real:
      return sqlite3_bind_double(statement, slot, value.real);
    case ValueType::text:
      return sqlite3_bind_text64(statement, slot, value.data.data(), value.data.size(), SQLITE_STATIC,
                                 SQLITE_UTF8);
    case ValueType::bytes:
      return sqlite3_bind_blob64(statement, slot, value.data.data(), value.data.size(), SQLITE_STATIC);
    case ValueType::null:
      break;
  }
  return sqlite3_bind_null(statement, slot);
}

}  // namespace

Result<Database> Database::open(const std::filesystem::path& path, Mode mode,
                                std::shared_ptr<const Clock> clock) {
  const bool writes = mode != Mode::read;
  const bool in_file = mode != Mode::memory;
  if (writes && in_file) PB_TRY(create_private(path));
  Database db;
  db.mode_ = mode;
  db.clock_ = std::move(clock);
  sqlite3* handle = nullptr;
  int flags = (writes ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY) | SQLITE_OPEN_NOMUTEX;
  int opened = sqlite3_open_v2(in_file ? path.c_str() : ":memory:", &handle, flags, nullptr);
  db.handle_.reset(handle);
  if (opened != SQLITE_OK) return {code_of(opened), path.string() + ": " + sqlite3_errstr(opened)};
  sqlite3_extended_result_codes(handle, 1);
  for (int setting : {SQLITE_DBCONFIG_DQS_DML, SQLITE_DBCONFIG_DQS_DDL, SQLITE_DBCONFIG_TRUSTED_SCHEMA}) {
    sqlite3_db_config(handle, setting, 0, nullptr);
  }
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_create_function_v2(handle, "patchbay_now_ms", 0, SQLITE_UTF8 | SQLITE_INNOCUOUS,
                             const_cast<Clock*>(db.clock_.get()), now_function, nullptr, nullptr, nullptr);
  sqlite3_busy_timeout(handle, kOpenLockTimeoutMs);
  const std::string setup =
      writes ? "PRAGMA wal_autocheckpoint=0; PRAGMA foreign_keys=ON;"
               "PRAGMA temp_store=MEMORY; PRAGMA journal_size_limit=" +
                   std::to_string(kMaxWalFileBytes)
             : "PRAGMA query_only=ON; PRAGMA wal_autocheckpoint=0; PRAGMA temp_store=MEMORY";
  Status ready = writes ? db.sync_each_commit(true) : Status();
  if (ready && writes && in_file) ready = use_wal(db);
  if (ready) ready = db.run(setup.c_str());
  if (!ready) return std::move(ready).error().within(path.string());
  return db;
}

Status Database::run(const char* sql) {
  if (sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) return error();
  return {};
}

Status Database::sync_each_commit(bool on) {
  if (mode_ == Mode::scratch) return run("PRAGMA synchronous=OFF");
  return run(on ? "PRAGMA synchronous=FULL" : "PRAGMA synchronous=NORMAL");
}

Error Database::error() const {
  const Code code = code_of(sqlite3_errcode(handle_.get()));
  if (code == Code::timeout) return {code, "took too long and was interrupted"};
  return {code, sqlite3_errmsg(handle_.get())};
}

// SQLite writes the page with the commit mark last, so after a failed write there is no mark.
bool Database::may_have_committed() const {
  const int code = sqlite3_extended_errcode(handle_.get());
  return (code & 0xff) == SQLITE_IOERR && code != SQLITE_IOERR_WRITE;
}

Result<PreparedStatement> PreparedStatement::prepare(const Database& db, std::string_view sql,
                                                     int parameters) {
  sqlite3_stmt* statement = nullptr;
  int prepared = sqlite3_prepare_v3(db.handle(), sql.data(), static_cast<int>(sql.size()),
                                    SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  PreparedStatement compiled;
  compiled.statement_.reset(statement);
  if (prepared != SQLITE_OK) return db.error();
  if (!statement) return {Code::invalid, "is empty"};
  for (int number = 1; number <= parameters; ++number) {
    std::string name = "$" + std::to_string(number);
    compiled.slots_.push_back(sqlite3_bind_parameter_index(statement, name.c_str()));
  }
  if (sqlite3_bind_parameter_count(statement) != parameters)
    return {Code::invalid, "parameters are written $1, $2"};
  return compiled;
}

// Ends the run of a statement, also when an exception (no memory for a row) ends it early: otherwise the
// connection would keep reading the same snapshot, and the statement could not be bound again.
struct PreparedStatement::Run {
  explicit Run(sqlite3_stmt* of) : statement(of) {}
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run() {
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
  }
  sqlite3_stmt* const statement;
};

template <class TakeRow>
Status PreparedStatement::step_all(const Database& db, size_t max_bytes, int64_t& seen, TakeRow take_row) {
  for (;;) {
    int step = sqlite3_step(statement_.get());
    if (step == SQLITE_DONE) return {};
    if (step != SQLITE_ROW) return db.error();
    ++seen;
    if (take_row() > max_bytes) return too_large_result(max_bytes);
  }
}

Result<int64_t> PreparedStatement::run(const Database& db, const Values& values, Rows* rows,
                                       size_t max_bytes) {
  int64_t seen = 0;
  const int columns = sqlite3_column_count(statement_.get());
  if (rows) rows->start(static_cast<size_t>(columns));
  {
    const Run run(statement_.get());
    PB_TRY(bind(db, values));
    PB_TRY(step_all(db, max_bytes, seen, [&]() -> size_t {
      if (!rows) return 0;
      for (int column = 0; column < columns; ++column) add_cell(Columns{statement_.get()}, column, *rows);
      return rows->byte_size();
    }));
  }
  return reads() ? seen : sqlite3_changes64(db.handle());
}

Result<JsonRows> PreparedStatement::run_json(const Database& db, const Values& values,
                                             const JsonMembers& members, size_t max_bytes) {
  const auto columns = static_cast<size_t>(sqlite3_column_count(statement_.get()));
  if (columns != members.size())
    return {Code::misuse, "has " + std::to_string(columns) + " columns, but " +
                              std::to_string(members.size()) + " members"};
  JsonRows rows{"[", 0};
  int64_t seen = 0;
  const Run run(statement_.get());
  PB_TRY(bind(db, values));
  PB_TRY(step_all(db, max_bytes, seen, [&] {
    if (seen > 1) rows.text += ',';
    members.append_row(Columns{statement_.get()}, rows.text);
    return rows.text.size();
  }));
  rows.text += ']';
  rows.count = static_cast<uint64_t>(seen);
  return rows;
}

Status PreparedStatement::bind(const Database& db, const Values& values) {
  if (values.size() != slots_.size()) {
    return {Code::misuse,
            "takes " + std::to_string(slots_.size()) + " values, got " + std::to_string(values.size())};
  }
  for (size_t i = 0; i < values.size(); ++i) {
    const Value& value = values[i];
    if (value.type == ValueType::text && value.data.find('\0') != std::string::npos) {
      return {Code::invalid, "$" + std::to_string(i + 1) + " is text with a NUL"};
    }
    if (bind_value(statement_.get(), slots_[i], value) != SQLITE_OK) return db.error();
  }
  return {};
}

}  // namespace patchbay::core
