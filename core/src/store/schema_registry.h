// Registers an owner (the core or a plugin): runs its missing migrations, checks and names its statements.
// Writer's thread only.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "store/database.h"
#include "store/schema_parser.h"
#include "store/sql_authorizer.h"
#include "store/statement_registry.h"

namespace patchbay::core {

// For every kind of database: whether an owner's prefix overlaps with that of another one.
Status check_overlap(const std::string& owner, std::set<std::string> others);
// Returns how many of the migrations have run; `rows` are the number and hash of those that have, in order.
// Fails when the text of one has changed since, and when the database is newer than the schema.
Result<size_t> count_applied(const Rows& rows, const SchemaText& schema);

class SchemaRegistry {
 public:
  SchemaRegistry(Database& db, StatementRegistry& statements) : db_(db), statements_(statements) {
    authorizer_.install(db.handle());
  }

  // Runs the missing migrations in one transaction, so that an update that fails leaves the tables as the
  // owner's last version needs them. It does not wait for the disk: what the owner commits later does, and
  // makes the migrations durable, too. Errors name owner, section and line.
  Status add(std::string_view owner, std::string_view schema);

 private:
  Status check_name(const std::string& owner);
  Status migrate(const std::string& owner, const SchemaText& schema);
  Result<size_t> applied_migrations(const std::string& owner, const SchemaText& schema);
  Status run_migration(const std::string& owner, const SchemaText::Migration& migration);
  Status run_migrations(const std::string& owner, const SchemaText& schema, size_t applied);
  Result<int64_t> count_foreign(const std::string& owner);
  Status check_references(const std::string& owner);
  Result<std::set<std::string>> migrated_owners();
  Result<Statement> check_statement(const std::string& owner, const SchemaText::Statement& statement);

  // borrowed
  Database& db_;
  StatementRegistry& statements_;
  // owned
  SqlAuthorizer authorizer_;
  // state
  std::set<std::string> registered_;  // owners registered in this run
};

}  // namespace patchbay::core
