#include "postgres_database.h"

#include <patchbay/random_id.h>

#include <utility>

#include "store/postgres_connection.h"

namespace patchbay::fake {
namespace {

constexpr int64_t kStatementMs = 10'000;
constexpr size_t kMaxRowBytes = size_t{64} << 20;

// Quoted, as a value of a connection string.
std::string as_value(std::string_view value) {
  std::string text = "'";
  for (const char c : value) {
    if (c == '\'' || c == '\\') text += '\\';
    text += c;
  }
  return text + "'";
}

// The same connection with the schema as its search path, beside the options that it has.
std::string in_schema(const core::PostgresFunctions& pq, const std::string& conninfo,
                      const std::string& schema) {
  PQconninfoOption* parsed = pq.conninfoParse(conninfo.c_str(), nullptr);
  if (parsed == nullptr) return conninfo;
  std::string all, options;
  for (const PQconninfoOption* option = parsed; option->keyword != nullptr; ++option) {
    if (option->val == nullptr) continue;
    if (option->keyword == std::string_view("options"))
      options = std::string(option->val) + " ";
    else
      all += std::string(option->keyword) + "=" + as_value(option->val) + " ";
  }
  pq.conninfoFree(parsed);
  return all + "options=" + as_value(options + "-csearch_path=" + schema);
}

}  // namespace

Result<std::unique_ptr<PostgresDatabase>> PostgresDatabase::open(const std::string& conninfo,
                                                                 bool temporary) {
  PB_TRY_VALUE(const core::PostgresFunctions* pq, core::load_postgres());
  if (auto checked = core::PostgresLink::check(*pq, conninfo); !checked)
    return std::move(checked).error().within("the option store");
  std::string schema;
  if (temporary) {
    PB_TRY_VALUE(schema, random_id("patchbay_test_"));
  }
  std::unique_ptr<PostgresDatabase> database(
      new PostgresDatabase(*pq, temporary ? in_schema(*pq, conninfo, schema) : conninfo, schema));
  if (temporary) PB_TRY(database->run_command("CREATE SCHEMA " + schema));
  return database;
}

// No commit of a test's statement in a temporary schema waits for the disk.
PostgresDatabase::PostgresDatabase(const core::PostgresFunctions& pq, std::string conninfo,
                                   std::string schema)
    : conninfo_(std::move(conninfo)),
      schema_(std::move(schema)),
      link_(pq, {conninfo_, {}, false, !schema_.empty(), kStatementMs, kStatementMs}) {}

PostgresDatabase::~PostgresDatabase() {
  if (!schema_.empty()) static_cast<void>(run_command("DROP SCHEMA IF EXISTS " + schema_ + " CASCADE"));
}

Status PostgresDatabase::run_command(const std::string& sql) {
  PB_TRY(link_.connect());
  PB_TRY(link_.send(sql.c_str()));
  if (auto done = link_.wait(); !done) return std::move(done).error();
  return {};
}

Result<core::Rows> PostgresDatabase::run(std::string_view sql, const core::Values& values) {
  core::Statement statement;
  statement.sql = sql;
  statement.parameters = static_cast<int>(values.size());
  core::PostgresStatement prepared(link_, no_clock_, statement, nullptr);
  core::Rows rows;
  PB_TRY(prepared.run(values, &rows, kMaxRowBytes));
  return rows;
}

}  // namespace patchbay::fake
