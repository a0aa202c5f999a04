#include "store/postgres_schemas.h"

#include <algorithm>
#include <utility>

#include "store/limits.h"
#include "store/sql_scanner.h"

namespace patchbay::core {
namespace {

// PostgreSQL's types, as in its pg_type.dat.
constexpr unsigned kBigint = 20, kSmallint = 21, kInteger = 23;

// Held while a migration runs, so that processes that start at once do not run it twice. Any number that
// nothing else in the database uses.
constexpr const char* kMigrationLock = "SELECT pg_advisory_xact_lock(8241906725230421)";

Error in_section(const std::string& what, int line, const Error& error) {
  return {error.code, what + " (line " + std::to_string(line) + "): " + error.text};
}

// The statements of a migration, because a command in pipeline mode is one statement.
std::vector<std::string> split_statements(std::string_view sql) {
  std::vector<std::string> statements(1);
  for (const SqlPiece& piece : sql_pieces(sql)) {
    if (piece.kind == SqlPiece::Kind::comment) {
      statements.back() += '\n';
      continue;
    }
    std::string_view text = piece.text;
    for (size_t end;
         piece.kind == SqlPiece::Kind::code && (end = text.find(';')) != std::string_view::npos;) {
      statements.back() += text.substr(0, end);
      statements.emplace_back();
      text.remove_prefix(end + 1);
    }
    statements.back() += text;
  }
  std::erase_if(statements, [](const std::string& one) { return sql_plain(one).empty(); });
  return statements;
}

}  // namespace

PostgresSchemas::PostgresSchemas(PostgresWriter& writer, StatementRegistry& statements, const Clock& clock,
                                 Database memory, int64_t migration_timeout_ms)
    : writer_(writer),
      statements_(statements),
      clock_(clock),
      memory_(std::move(memory)),
      in_memory_(memory_, in_memory_statements_),
      migration_timeout_ms_(migration_timeout_ms) {}

Status PostgresSchemas::add(std::string_view owner_name, std::string_view text) {
  const std::string owner(owner_name);
  PB_TRY(in_memory_.add(owner, text));
  const auto in_owner = [&](Error error) {
    return std::move(error).within("store schema of '" + owner + "' on PostgreSQL");
  };
  PB_TRY_VALUE(const SchemaText schema, parse_schema(text));
  if (auto migrated = migrate(owner, schema); !migrated) return in_owner(std::move(migrated).error());
  std::vector<Statement> checked;
  for (const SchemaText::Statement& statement : schema.statements) {
    const Statement* known =
        in_memory_statements_.get(in_memory_statements_.find(owner, statement.name).value_or({}));
    const std::string now_ms = "CAST($" + std::to_string(statement.parameters + 1) + " AS BIGINT)";
    PB_TRY_VALUE(std::string sql, expand_macros(statement.sql, Dialect::postgres, now_ms));
    const bool takes_clock = statement.sql.find("{{NOW_MS}}") != std::string::npos;
    Statement& one =
        checked.emplace_back(Statement{owner, statement.name, std::move(sql), statement.parameters,
                                       known->reads, known->deterministic && !takes_clock});
    one.takes_clock = takes_clock;
    one.notifies = statement.notifies;
  }
  if (auto good = check_statements(checked, schema); !good) return in_owner(std::move(good).error());
  statements_.add(std::move(checked));
  return {};
}

Result<Rows> PostgresSchemas::ask(const char* sql, const Values& values) {
  Statement statement;
  statement.sql = sql;
  statement.parameters = static_cast<int>(values.size());
  statement.reads = true;
  PB_TRY_VALUE(const auto prepared, writer_.prepare(statement));
  Rows rows;
  PB_TRY(prepared->run(values, &rows, kMaxCatalogueBytes));
  return rows;
}

Status PostgresSchemas::migrate(const std::string& owner, const SchemaText& schema) {
  PB_TRY(writer_.link().connect());
  PB_TRY_VALUE(const size_t applied, applied_migrations(owner, schema));
  if (applied == schema.migrations.size()) return {};
  PB_TRY(writer_.begin());
  Status ran = run_missing(owner, schema);
  if (ran) ran = writer_.commit();
  writer_.roll_back();
  return ran;
}

Status PostgresSchemas::run_missing(const std::string& owner, const SchemaText& schema) {
  const std::string limit = std::to_string(migration_timeout_ms_);
  const std::string limits = "SELECT set_config('statement_timeout', '" + limit +
                             "', true), set_config('lock_timeout', '" + limit + "', true)";
  PB_TRY(writer_.link().send(limits.c_str()));
  PB_TRY(writer_.link().send(kMigrationLock));
  PB_TRY(writer_.link().wait());
  PB_TRY_VALUE(const size_t applied, applied_migrations(owner, schema));
  for (size_t i = applied; i < schema.migrations.size(); ++i) {
    const SchemaText::Migration& migration = schema.migrations[i];
    if (auto ran = run_migration(owner, migration); !ran)
      return in_section("migration " + std::to_string(migration.number), migration.line, ran.error());
  }
  return {};
}

Result<size_t> PostgresSchemas::applied_migrations(const std::string& owner, const SchemaText& schema) {
  PB_TRY_VALUE(const Rows table, ask("SELECT to_regclass('core_migration') IS NOT NULL", {}));
  if (table.integer(0, 0) == 0) return size_t{0};
  PB_TRY_VALUE(const Rows names, ask("SELECT DISTINCT owner FROM core_migration", {}));
  std::set<std::string> others;
  for (size_t row = 0; row < names.row_count(); ++row) others.emplace(names.text(row, 0));
  PB_TRY(check_overlap(owner, std::move(others)));
  PB_TRY_VALUE(const Rows rows,
               ask("SELECT number, hash FROM core_migration WHERE owner = $1 ORDER BY number", {owner}));
  return count_applied(rows, schema);
}

Status PostgresSchemas::run_migration(const std::string& owner, const SchemaText::Migration& migration) {
  const std::string now_ms = "CAST(" + std::to_string(clock_()) + " AS BIGINT)";
  PB_TRY_VALUE(const std::string sql, expand_macros(migration.sql, Dialect::postgres, now_ms));
  for (const std::string& statement : split_statements(sql)) PB_TRY(writer_.link().send(statement.c_str()));
  PB_TRY(writer_.link().send(
      "INSERT INTO core_migration (owner, number, hash, applied_ms) VALUES ($1, $2, $3, $4)",
      {owner, migration.number, migration.hash, clock_()}));
  PB_TRY(writer_.link().wait());
  return {};
}

// Prepares each statement, which finds what only SQLite understands.
Status PostgresSchemas::check_statements(std::vector<Statement>& statements, const SchemaText& schema) {
  PB_TRY(writer_.link().connect());
  PB_TRY(infer_types(statements, schema));
  for (Statement& statement : statements) widen_types(statement);
  return {};
}

Status PostgresSchemas::infer_types(std::vector<Statement>& statements, const SchemaText& schema) {
  PostgresLink& link = writer_.link();
  const PostgresFunctions& pq = link.functions();
  for (const Statement& statement : statements) {
    PB_TRY(link.send_prepare("", statement.sql, {}));
    PB_TRY(link.send_describe(""));
  }
  size_t results = 0;  // two for each statement; the second describes it
  auto done = link.wait([&](const PGresult* result) {
    Statement& statement = statements[results / 2];
    if (results++ % 2 == 0) return;
    for (int i = 0; i < pq.nparams(result); ++i) statement.types.push_back(pq.paramtype(result, i));
  });
  if (done) return {};
  if (!link.connected() || results / 2 >= statements.size()) return std::move(done).error();
  const SchemaText::Statement& wrong = schema.statements[results / 2];
  return in_section("statement '" + wrong.name + "'", wrong.line, {Code::invalid, done.error().text});
}

// A parameter that is compared with a small number, as in `$1 = 0`, gets the type of that number: takes all
// integers of 64 bits instead where the statement allows it.
void PostgresSchemas::widen_types(Statement& statement) {
  std::vector<unsigned> wide = statement.types;
  for (unsigned& type : wide)
    if (type == kSmallint || type == kInteger) type = kBigint;
  if (wide == statement.types) return;
  PostgresLink& link = writer_.link();
  if (!link.send_prepare("", statement.sql, wide)) return;
  if (link.wait()) statement.types = std::move(wide);
}

}  // namespace patchbay::core
