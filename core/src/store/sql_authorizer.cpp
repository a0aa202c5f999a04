#include "store/sql_authorizer.h"

#include <strings.h>

#include "store/deterministic_functions.h"

namespace patchbay::core {
namespace {

bool has_prefix(std::string_view name, std::string_view prefix) {
  return name.size() > prefix.size() && strncasecmp(name.data(), prefix.data(), prefix.size()) == 0;
}

// The view of the core that every owner's statements may read, and the table behind it.
constexpr std::string_view kLiveNodes = "core_live_node";

bool is_public(const char* table, const char* view) {
  return (table != nullptr && table == kLiveNodes) || (view != nullptr && view == kLiveNodes);
}

}  // namespace

int SqlAuthorizer::authorize(void* self, int action, const char* first, const char* second, const char*,
                             const char* view) {
  auto* authorizer = static_cast<SqlAuthorizer*>(self);
  if (authorizer->prefix_.empty()) return SQLITE_OK;
  if (action == SQLITE_READ && !authorizer->ddl_ && is_public(first, view)) return SQLITE_OK;
  return authorizer->allows(action, first ? first : "", second ? second : "") ? SQLITE_OK : SQLITE_DENY;
}

bool SqlAuthorizer::allows(int action, std::string_view first, std::string_view second) {
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_RECURSIVE:
      return true;
    case SQLITE_FUNCTION:
      deterministic_ = deterministic_ && is_deterministic(second);
      return true;
    case SQLITE_READ:
    case SQLITE_INSERT:
    case SQLITE_UPDATE:
    case SQLITE_DELETE:
      return in_schema_change(first) || owns(first);
    case SQLITE_CREATE_TABLE:
    case SQLITE_DROP_TABLE:
    case SQLITE_CREATE_VIEW:
    case SQLITE_DROP_VIEW:
      if (ddl_) return owns(first);
      break;
    case SQLITE_CREATE_INDEX:
    case SQLITE_DROP_INDEX:
      if (ddl_) return (has_prefix(first, "sqlite_autoindex_") || owns(first)) && owns(second);
      break;
    case SQLITE_ALTER_TABLE:
      if (ddl_) return owns(second);
      break;
    case SQLITE_REINDEX:
      if (ddl_) return true;  // part of creating an index
      break;
    default:
      break;
  }
  refusal_ = ddl_ ? "changes more than tables, views and indexes" : "changes more than rows";
  return false;
}

// SQLite also passes the name of a common table expression of which no column is read (COUNT(*) alone), so
// such a name must carry the prefix too.
bool SqlAuthorizer::owns(std::string_view table) {
  if (has_prefix(table, prefix_)) return true;
  refusal_ =
      "touches '" + std::string(table) + "', which is not its own (its tables begin with " + prefix_ + ")";
  return false;
}

// True for SQLite's catalogue, which SQLite itself writes during a migration. SQL of an owner cannot write
// it, because the connection is in defensive mode.
bool SqlAuthorizer::in_schema_change(std::string_view table) const {
  return ddl_ && has_prefix(table, "sqlite_");
}

}  // namespace patchbay::core
