#include "store/schema_registry.h"

#include <patchbay/text.h>

#include <algorithm>

#include "store/limits.h"

namespace patchbay::core {
namespace {

Error wrong(const std::string& what, int line, const Error& error) {
  return {error.code, what + " (line " + std::to_string(line) + "): " + error.text};
}

Error overlap(const std::string& prefix, const std::string& other) {
  return {Code::conflict, "its prefix " + prefix + " overlaps with that of '" + other +
                              "', which is used here or has tables here"};
}

// Searches the text for the catalogue's name, because SQLite itself reads the catalogue during a migration,
// so the authorizer cannot distinguish the two. Quotes are searched too, as a quoted string may name a table.
bool names_catalogue(std::string_view sql) {
  return to_lower(sql_plain(sql)).find("sqlite_") != std::string::npos;
}

bool begins_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

// Commits do not wait for the disk in this scope.
class UnsyncedCommits {
 public:
  explicit UnsyncedCommits(Database& db) : db_(db) { static_cast<void>(db_.sync_each_commit(false)); }
  ~UnsyncedCommits() { static_cast<void>(db_.sync_each_commit(true)); }
  UnsyncedCommits(const UnsyncedCommits&) = delete;
  UnsyncedCommits& operator=(const UnsyncedCommits&) = delete;

 private:
  Database& db_;
};

}  // namespace

Status check_overlap(const std::string& owner, std::set<std::string> others) {
  const std::string prefix = table_prefix(owner);
  others.erase(owner);
  for (const std::string& other : others) {
    const std::string taken = table_prefix(other);
    if (begins_with(prefix, taken) || begins_with(taken, prefix)) return overlap(prefix, other);
  }
  return {};
}

Result<size_t> count_applied(const Rows& rows, const SchemaText& schema) {
  for (size_t row = 0; row < rows.row_count(); ++row) {
    std::string which = "migration " + std::to_string(rows.integer(row, 0));
    if (row >= schema.migrations.size()) {
      return {Code::conflict,
              "the database has " + which + ", which this version does not know: run the newer version"};
    }
    if (rows.text(row, 1) != schema.migrations[row].hash) {
      return {Code::conflict,
              which + " was edited after it had run here: restore it and add a new migration"};
    }
  }
  return rows.row_count();
}

Status SchemaRegistry::add(std::string_view owner_name, std::string_view text) {
  std::string owner(owner_name);
  auto in_owner = [&](Error error) { return std::move(error).within("store schema of '" + owner + "'"); };
  if (auto named = check_name(owner); !named) return in_owner(std::move(named).error());
  auto schema = parse_schema(text);
  if (!schema) return in_owner(std::move(schema).error());
  if (auto migrated = migrate(owner, *schema); !migrated) return in_owner(std::move(migrated).error());
  std::vector<Statement> checked;
  for (const SchemaText::Statement& statement : schema->statements) {
    auto one = check_statement(owner, statement);
    if (!one) return in_owner(wrong("statement '" + statement.name + "'", statement.line, one.error()));
    checked.push_back(*std::move(one));
  }
  statements_.add(std::move(checked));
  registered_.insert(owner);
  return {};
}

// Refuses an owner whose prefix overlaps with another's: otherwise "ai" could reach "ai_voice_call". Owners
// that are not registered in this run count too, by their entries in core_migration.
Status SchemaRegistry::check_name(const std::string& owner) {
  bool good = !owner.empty() && owner[0] >= 'a' && owner[0] <= 'z' &&
              std::all_of(owner.begin(), owner.end(), [](char c) {
                return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
              });
  if (!good) return {Code::invalid, "an owner's id consists of a-z, 0-9 and '-'"};
  std::string prefix = table_prefix(owner);
  if (begins_with(prefix, "sqlite_") || begins_with(prefix, "pg_"))
    return {Code::invalid, "the prefix is reserved"};
  if (registered_.count(owner) != 0) return {Code::conflict, "is registered already"};
  PB_TRY_VALUE(std::set<std::string> others, migrated_owners());
  others.insert(registered_.begin(), registered_.end());
  return check_overlap(owner, std::move(others));
}

Status SchemaRegistry::migrate(const std::string& owner, const SchemaText& schema) {
  PB_TRY_VALUE(size_t applied, applied_migrations(owner, schema));
  if (applied == schema.migrations.size()) return {};
  // What the owner commits later waits for the disk, and makes its migrations durable with it.
  const UnsyncedCommits unsynced(db_);
  PB_TRY(db_.run("BEGIN IMMEDIATE"));
  Status ran = run_migrations(owner, schema, applied);
  if (ran) ran = db_.run("COMMIT");
  if (!ran && !db_.autocommit()) (void)db_.run("ROLLBACK");
  return ran;
}

// Returns how many migrations have run. Fails when the text of one has changed since.
Result<size_t> SchemaRegistry::applied_migrations(const std::string& owner, const SchemaText& schema) {
  auto query = PreparedStatement::prepare(
      db_, "SELECT number, hash FROM core_migration WHERE owner = $1 ORDER BY number", 1);
  if (!query) {  // a new database: the core's first migration creates the table
    auto any =
        PreparedStatement::prepare(db_, "SELECT 1 FROM sqlite_master WHERE name = 'core_migration'", 0);
    if (!any) return any.error();
    PB_TRY_VALUE(int64_t tables, any->run(db_, {}, nullptr, kMaxCatalogueBytes));
    if (tables == 0) return size_t{0};
    return query.error();
  }
  Rows rows;
  PB_TRY(query->run(db_, {owner}, &rows, kMaxCatalogueBytes));
  return count_applied(rows, schema);
}

Status SchemaRegistry::run_migrations(const std::string& owner, const SchemaText& schema, size_t applied) {
  PB_TRY_VALUE(const int64_t before, count_foreign(owner));
  for (size_t i = applied; i < schema.migrations.size(); ++i) {
    const SchemaText::Migration& migration = schema.migrations[i];
    if (auto ran = run_migration(owner, migration); !ran)
      return wrong("migration " + std::to_string(migration.number), migration.line, ran.error());
  }
  const auto &first = schema.migrations[applied], &last = schema.migrations.back();
  const std::string all = first.number == last.number ? "migration " + std::to_string(first.number)
                                                      : "migrations " + std::to_string(first.number) +
                                                            " to " + std::to_string(last.number);
  // Counts, because the authorizer does not see the new name of a rename.
  PB_TRY_VALUE(const int64_t after, count_foreign(owner));
  if (before != after)
    return wrong(all, first.line, {Code::denied, "leaves a table outside its prefix " + table_prefix(owner)});
  if (auto checked = check_references(owner); !checked) return wrong(all, first.line, checked.error());
  return {};
}

Status SchemaRegistry::run_migration(const std::string& owner, const SchemaText::Migration& migration) {
  PB_TRY_VALUE(std::string sql, expand_macros(migration.sql, Dialect::sqlite));
  if (names_catalogue(sql)) return {Code::denied, "names sqlite_..., which only SQLite may touch"};
  {
    SqlAuthorizer::Scope scope(authorizer_, table_prefix(owner), true);
    auto ran = db_.run(sql.c_str());
    if (!ran && !scope.refusal().empty()) return {Code::denied, scope.refusal()};
    PB_TRY(std::move(ran));
  }
  PB_TRY_VALUE(PreparedStatement insert,
               PreparedStatement::prepare(db_,
                                          "INSERT INTO core_migration (owner, number, hash, applied_ms) "
                                          "VALUES ($1, $2, $3, patchbay_now_ms())",
                                          3));
  PB_TRY(insert.run(db_, {owner, migration.number, migration.hash}, nullptr, kMaxCatalogueBytes));
  return {};
}

// The number of tables, indexes and views that are not the owner's.
Result<int64_t> SchemaRegistry::count_foreign(const std::string& owner) {
  PB_TRY_VALUE(
      PreparedStatement count,
      PreparedStatement::prepare(
          db_, "SELECT COUNT(*) FROM sqlite_master WHERE lower(substr(tbl_name, 1, length($1))) <> $1", 1));
  Rows rows;
  PB_TRY(count.run(db_, {table_prefix(owner)}, &rows, kMaxCatalogueBytes));
  return rows.integer(0, 0);
}

// Refuses foreign keys to another owner's table, because that owner's statements would then touch this one's
// tables.
Status SchemaRegistry::check_references(const std::string& owner) {
  PB_TRY_VALUE(PreparedStatement list,
               PreparedStatement::prepare(
                   db_,
                   "SELECT m.name, f.\"table\" FROM sqlite_master m, pragma_foreign_key_list(m.name) f "
                   "WHERE m.type = 'table' AND lower(substr(m.name, 1, length($1))) = $1 "
                   "AND lower(substr(f.\"table\", 1, length($1))) <> $1 LIMIT 1",
                   1));
  Rows rows;
  PB_TRY(list.run(db_, {table_prefix(owner)}, &rows, kMaxCatalogueBytes));
  if (rows.empty()) return {};
  return {Code::denied, "'" + std::string(rows.text(0, 0)) + "' references '" + std::string(rows.text(0, 1)) +
                            "', which is not its own (its tables begin with " + table_prefix(owner) + ")"};
}

// Returns the owners with migrations in this database; none before the core's first migration.
Result<std::set<std::string>> SchemaRegistry::migrated_owners() {
  std::set<std::string> owners;
  auto query = PreparedStatement::prepare(db_, "SELECT DISTINCT owner FROM core_migration", 0);
  if (!query) return owners;
  Rows rows;
  PB_TRY(query->run(db_, {}, &rows, kMaxCatalogueBytes));
  for (size_t row = 0; row < rows.row_count(); ++row) owners.emplace(rows.text(row, 0));
  return owners;
}

Result<Statement> SchemaRegistry::check_statement(const std::string& owner,
                                                  const SchemaText::Statement& text) {
  using Access = SchemaText::Access;
  PB_TRY_VALUE(std::string sql, expand_macros(text.sql, Dialect::sqlite));
  SqlAuthorizer::Scope scope(authorizer_, table_prefix(owner), false);
  auto compiled = PreparedStatement::prepare(db_, sql, text.parameters);
  if (!compiled && !scope.refusal().empty()) return {Code::denied, scope.refusal()};
  if (!compiled) return {Code::invalid, compiled.error().text};
  bool reads = compiled->reads();
  if (text.access == Access::read && !reads) return {Code::invalid, "is marked '-- read' but writes"};
  if (text.access == Access::write && reads) return {Code::invalid, "is marked '-- write' but only reads"};
  if (text.notifies && reads) return {Code::invalid, "is marked '-- notify' but only reads"};
  return Statement{owner, text.name, std::move(sql), text.parameters, reads, scope.deterministic()};
}

}  // namespace patchbay::core
