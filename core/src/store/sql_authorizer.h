// Keeps each owner's SQL inside its own tables while it is prepared: SQLite asks before every table and
// column.
#pragma once

#include <sqlite3.h>

#include <string>
#include <string_view>

namespace patchbay::core {

// Set on the writer's connection for good (setting an authorizer makes all statements prepare anew); outside
// a Scope it lets everything pass, so that statements checked once may be prepared again after a schema
// change.
class SqlAuthorizer {
 public:
  void install(sqlite3* db) { sqlite3_set_authorizer(db, &SqlAuthorizer::ask, this); }

  // While it lives, what is prepared may touch only tables that begin with the prefix, and change the schema
  // only if `ddl`.
  class Scope {
   public:
    Scope(SqlAuthorizer& authorizer, std::string prefix, bool ddl) : authorizer_(authorizer) {
      authorizer_.prefix_ = std::move(prefix);
      authorizer_.ddl_ = ddl;
      authorizer_.refusal_.clear();
    }
    ~Scope() { authorizer_.prefix_.clear(); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    // Why the last preparation was refused, e.g. "touches table 'x', which is not its own"; else "".
    const std::string& refusal() const { return authorizer_.refusal_; }

   private:
    SqlAuthorizer& authorizer_;
  };

 private:
  static int ask(void* self, int action, const char* first, const char* second, const char*, const char*);
  bool allows(int action, std::string_view first, std::string_view second);
  bool is_own(std::string_view table);
  bool in_schema_change(std::string_view table) const;

  std::string prefix_;  // empty: no scope
  bool ddl_ = false;
  std::string refusal_;
};

}  // namespace patchbay::core
