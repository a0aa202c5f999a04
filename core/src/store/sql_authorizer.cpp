#include "store/sql_authorizer.h"

#include <strings.h>

namespace patchbay::core {
namespace {

bool has_prefix(std::string_view name, std::string_view prefix) {
  return name.size() > prefix.size() && strncasecmp(name.data(), prefix.data(), prefix.size()) == 0;
}

}  // namespace

int SqlAuthorizer::ask(void* self, int action, const char* first, const char* second, const char*,
                       const char*) {
  auto* authorizer = static_cast<SqlAuthorizer*>(self);
  if (authorizer->prefix_.empty()) return SQLITE_OK;
  return authorizer->allows(action, first ? first : "", second ? second : "") ? SQLITE_OK : SQLITE_DENY;
}

bool SqlAuthorizer::allows(int action, std::string_view first, std::string_view second) {
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_RECURSIVE:
    case SQLITE_FUNCTION:
      return true;
    case SQLITE_READ:
    case SQLITE_INSERT:
    case SQLITE_UPDATE:
    case SQLITE_DELETE:
      return in_schema_change(first) || is_own(first);
    case SQLITE_CREATE_TABLE:
    case SQLITE_DROP_TABLE:
    case SQLITE_CREATE_VIEW:
    case SQLITE_DROP_VIEW:
      if (ddl_) return is_own(first);
      break;
    case SQLITE_CREATE_INDEX:
    case SQLITE_DROP_INDEX:
      if (ddl_) return (has_prefix(first, "sqlite_autoindex_") || is_own(first)) && is_own(second);
      break;
    case SQLITE_ALTER_TABLE:
      if (ddl_) return is_own(second);
      break;
    case SQLITE_REINDEX:
      if (ddl_) return true;  // part of creating an index
      break;
    default:
      break;
  }
  refusal_ =
      ddl_ ? "does what a migration may not (only tables, views and indexes)" : "changes more than rows";
  return false;
}

// A common table expression that is only counted is asked for by its own name too; it must carry the prefix
// then.
bool SqlAuthorizer::is_own(std::string_view table) {
  if (has_prefix(table, prefix_)) return true;
  refusal_ =
      "touches '" + std::string(table) + "', which is not its own (its tables begin with " + prefix_ + ")";
  return false;
}

// SQLite itself writes its catalogue while a migration runs; our connections refuse such statements of
// others.
bool SqlAuthorizer::in_schema_change(std::string_view table) const {
  return ddl_ && has_prefix(table, "sqlite_");
}

}  // namespace patchbay::core
