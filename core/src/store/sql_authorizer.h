// SQLite authorizer that limits each owner's SQL to its own tables, and notes whether its functions are
// deterministic. SQLite calls it for every table, column and function while it prepares a statement, also for
// those inside views.
#pragma once

#include <sqlite3.h>

#include <string>
#include <string_view>

namespace patchbay::core {

// Stays installed on the writer's connection, because setting an authorizer makes SQLite prepare all
// statements again. Outside a Scope it allows everything, so that checked statements can be prepared again
// after a schema change.
class SqlAuthorizer {
 public:
  void install(sqlite3* db) { sqlite3_set_authorizer(db, &SqlAuthorizer::authorize, this); }

  // While it lives, SQL may touch only tables that begin with the prefix, and change the schema only with
  // `ddl`.
  class Scope {
   public:
    Scope(SqlAuthorizer& authorizer, std::string prefix, bool ddl) : authorizer_(authorizer) {
      authorizer_.prefix_ = std::move(prefix);
      authorizer_.ddl_ = ddl;
      authorizer_.refusal_.clear();
      authorizer_.deterministic_ = true;
    }
    ~Scope() { authorizer_.prefix_.clear(); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    // Why the last statement was denied, e.g. "touches 'x', which is not its own"; "" when it was not.
    const std::string& refusal() const { return authorizer_.refusal_; }
    // Whether all functions prepared so far give the same result for the same rows and parameters.
    bool deterministic() const { return authorizer_.deterministic_; }

   private:
    SqlAuthorizer& authorizer_;
  };

 private:
  static int authorize(void* self, int action, const char* first, const char* second, const char*,
                       const char*);
  bool allows(int action, std::string_view first, std::string_view second);
  bool owns(std::string_view table);
  bool in_schema_change(std::string_view table) const;

  std::string prefix_;  // empty: no scope
  bool ddl_ = false;
  std::string refusal_;
  bool deterministic_ = true;
};

}  // namespace patchbay::core
