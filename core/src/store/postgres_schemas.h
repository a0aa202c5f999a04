// Registers an owner in PostgreSQL: runs its missing migrations, checks and names its statements.
//
// Each schema text is first registered in an SQLite database in memory: its authorizer limits the owner to
// its own tables there, so the same text cannot touch others here. Writer's thread only.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "store/database.h"
#include "store/postgres_connection.h"
#include "store/schema_registry.h"

namespace patchbay::core {

class PostgresSchemas {
 public:
  // Borrows the writer, the statements and the clock; owns the database in memory.
  PostgresSchemas(PostgresWriter& writer, StatementRegistry& statements, const Clock& clock, Database memory,
                  int64_t migration_timeout_ms);

  // As SchemaRegistry::add.
  Status add(std::string_view owner, std::string_view schema);

 private:
  Status migrate(const std::string& owner, const SchemaText& schema);
  Status run_missing(const std::string& owner, const SchemaText& schema);
  Result<size_t> applied_migrations(const std::string& owner, const SchemaText& schema);
  Status run_migration(const std::string& owner, const SchemaText::Migration& migration);
  Status check_statements(std::vector<Statement>& statements, const SchemaText& schema);
  Status infer_types(std::vector<Statement>& statements, const SchemaText& schema);
  void widen_types(Statement& statement);
  Result<Rows> ask(const char* sql, const Values& values);

  // borrowed
  PostgresWriter& writer_;
  StatementRegistry& statements_;
  const Clock& clock_;
  // owned
  Database memory_;
  StatementRegistry in_memory_statements_;
  SchemaRegistry in_memory_;
  // state
  const int64_t migration_timeout_ms_;
};

}  // namespace patchbay::core
