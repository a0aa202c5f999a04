#include "store/copy_store.h"

#include <memory>
#include <utility>

#include "store/database.h"
#include "store/limits.h"
#include "store/lock_file.h"
#include "store/postgres_link.h"
#include "store/sql_scanner.h"

namespace patchbay::core {
namespace {

constexpr int64_t kRowsPerWait = 500;           // sent before their results are read
constexpr int64_t kCopyTimeoutMs = 86'400'000;  // of one statement, such as an index of a large table

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

void replace_word(std::string& text, std::string_view word, std::string_view with) {
  for (size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += with.size()) {
    const bool begins = at == 0 || !is_word(text[at - 1]);
    const bool ends = at + word.size() == text.size() || !is_word(text[at + word.size()]);
    text.replace(at, word.size(), begins && ends ? with : word);
    if (!begins || !ends) at += word.size() - with.size();
  }
}

// SQLite keeps the text that created a table. Its macros were expanded for SQLite, so that only two types
// differ.
std::string to_postgres(std::string_view sql) {
  std::string out;
  for (const SqlPiece& piece : sql_pieces(sql)) {
    if (piece.kind == SqlPiece::Kind::comment) {
      out += '\n';
      continue;
    }
    std::string text(piece.text);
    if (piece.kind == SqlPiece::Kind::code) {
      replace_word(text, "BLOB", "BYTEA");
      replace_word(text, "INTEGER", "BIGINT");
    }
    out += text;
  }
  return out;
}

class Copier {
 public:
  Copier(const Database& from, PostgresLink& to) : from_(from), to_(to) {}

  Result<std::vector<CopiedTable>> run() {
    PB_TRY(refuse_tables());
    PB_TRY_VALUE(const Rows tables, read("SELECT name, sql FROM sqlite_master WHERE type = 'table' AND "
                                         "name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY name"));
    std::vector<CopiedTable> copied;
    for (size_t row = 0; row < tables.row_count(); ++row) {
      const std::string name(tables.text(row, 0));
      auto rows = copy_table(name, tables.text(row, 1));
      if (!rows) return std::move(rows).error().within(name);
      copied.push_back({name, *rows});
    }
    PB_TRY(create_rest());
    for (const CopiedTable& table : copied) PB_TRY(verify(table));
    return copied;
  }

 private:
  Result<Rows> read(const std::string& sql) const {
    PB_TRY_VALUE(PreparedStatement statement, PreparedStatement::prepare(from_, sql, 0));
    Rows rows;
    PB_TRY(statement.run(from_, {}, &rows, kMaxResultBytes));
    return rows;
  }
  Status send(const std::string& sql) {
    PB_TRY(to_.send(sql.c_str()));
    PB_TRY(to_.wait());
    return {};
  }
  Result<int64_t> number(const std::string& sql) {
    PB_TRY(to_.send(sql.c_str()));
    PB_TRY_VALUE(const PostgresResult result, to_.wait());
    return PostgresColumns(to_.functions(), result.get()).integer(0);
  }

  Status refuse_tables() {
    PB_TRY_VALUE(const int64_t tables,
                 number("SELECT COUNT(*) FROM pg_catalog.pg_tables WHERE schemaname = current_schema()"));
    if (tables == 0) return {};
    return {Code::conflict, "the target has tables already: create an empty database for the copy"};
  }

  Result<int64_t> copy_table(const std::string& name, std::string_view sql) {
    PB_TRY(send(to_postgres(sql)));
    PB_TRY_VALUE(const int64_t rows, copy_rows(name));
    PB_TRY(continue_keys(name));
    return rows;
  }

  Result<int64_t> copy_rows(const std::string& name) {
    PB_TRY_VALUE(const Rows info, read("SELECT name FROM pragma_table_info('" + name + "') ORDER BY cid"));
    std::string columns, places;
    for (size_t row = 0; row < info.row_count(); ++row) {
      columns.append(row == 0 ? "" : ", ").append(info.text(row, 0));
      places.append(row == 0 ? "$" : ", $").append(std::to_string(row + 1));
    }
    const std::string insert = "copy_" + name;
    PB_TRY(
        to_.send_prepare(insert, "INSERT INTO " + name + " (" + columns + ") VALUES (" + places + ")", {}));
    PB_TRY(to_.wait());
    // By rowid, so that a table of any size is read in parts.
    int64_t copied = 0, last = INT64_MIN;
    for (;;) {
      PB_TRY_VALUE(
          PreparedStatement part,
          PreparedStatement::prepare(
              from_,
              "SELECT rowid, " + columns + " FROM " + name + " WHERE rowid > $1 ORDER BY rowid LIMIT $2", 2));
      Rows rows;
      PB_TRY(part.run(from_, {last, kRowsPerWait}, &rows, size_t{1} << 30));
      if (rows.empty()) return copied;
      for (size_t row = 0; row < rows.row_count(); ++row) PB_TRY(to_.send_run(insert, values_of(rows, row)));
      PB_TRY(to_.wait());
      last = rows.integer(rows.row_count() - 1, 0);
      copied += static_cast<int64_t>(rows.row_count());
    }
  }

  // Where SQLite generates the keys, because the column is the rowid, PostgreSQL goes on after the last one.
  Status continue_keys(const std::string& table) {
    PB_TRY_VALUE(const Rows keys,
                 read("SELECT name, type FROM pragma_table_info('" + table + "') WHERE pk > 0"));
    if (keys.row_count() != 1 || keys.text(0, 1) != "INTEGER") return {};
    const std::string key(keys.text(0, 0));
    PB_TRY(send("ALTER TABLE " + table + " ALTER COLUMN " + key + " ADD GENERATED BY DEFAULT AS IDENTITY"));
    return send("SELECT setval(pg_get_serial_sequence('" + table + "', '" + key + "'), MAX(" + key +
                ")) FROM " + table + " HAVING MAX(" + key + ") > 0");
  }

  static Values values_of(const Rows& rows, size_t row) {
    Values values;
    for (size_t column = 1; column < rows.column_count(); ++column) {
      switch (rows.type(row, column)) {
        case ValueType::integer:
          values.emplace_back(rows.integer(row, column));
          break;
        case ValueType::real:
          values.emplace_back(rows.real(row, column));
          break;
        case ValueType::text:
          values.emplace_back(rows.text(row, column));
          break;
        case ValueType::bytes:
          values.push_back(Value::bytes(rows.text(row, column)));
          break;
        case ValueType::null:
          values.emplace_back();
      }
    }
    return values;
  }

  // Indexes and views, which are quicker to make once the rows are there. Those of constraints have no text.
  Status create_rest() {
    PB_TRY_VALUE(
        const Rows rest,
        read("SELECT name, sql FROM sqlite_master WHERE type IN ('index', 'view') AND sql IS NOT NULL "
             "ORDER BY type, rowid"));
    for (size_t row = 0; row < rest.row_count(); ++row) {
      if (auto made = send(to_postgres(rest.text(row, 1))); !made)
        return std::move(made).error().within(std::string(rest.text(row, 0)));
    }
    return {};
  }

  Status verify(const CopiedTable& table) {
    PB_TRY_VALUE(const Rows source, read("SELECT COUNT(*) FROM " + table.name));
    PB_TRY_VALUE(const int64_t copied, number("SELECT COUNT(*) FROM " + table.name));
    if (source.integer(0, 0) == table.rows && copied == table.rows) return {};
    return {Code::failed, table.name + " has " + std::to_string(copied) + " rows instead of " +
                              std::to_string(source.integer(0, 0))};
  }

  const Database& from_;
  PostgresLink& to_;
};

}  // namespace

Result<std::vector<CopiedTable>> copy_store(const std::filesystem::path& path, const std::string& postgres,
                                            const std::string& password) {
  PB_TRY_VALUE(const LockFile lock, LockFile::acquire(path.string() + ".lock"));
  auto clock = std::make_shared<const Clock>([] { return int64_t{0}; });
  PB_TRY_VALUE(const Database from, Database::open(path, Database::Mode::read, std::move(clock)));
  PB_TRY_VALUE(const PostgresFunctions* pq, load_postgres());
  PB_TRY(PostgresLink::check(*pq, postgres));
  PostgresLink to(*pq, {postgres, password, false, false, kCopyTimeoutMs, kLockTimeoutMs});
  PB_TRY(to.connect());
  to.set_deadline(std::chrono::steady_clock::now() + std::chrono::milliseconds(kCopyTimeoutMs));
  PB_TRY(to.send("BEGIN"));
  PB_TRY(to.wait());
  PB_TRY_VALUE(std::vector<CopiedTable> copied, Copier(from, to).run());  // an error ends the connection
  PB_TRY(to.send("COMMIT"));
  PB_TRY(to.wait());
  return copied;
}

}  // namespace patchbay::core
