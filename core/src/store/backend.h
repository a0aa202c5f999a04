// Backend: a database, as the store uses it. Implemented for SQLite (sqlite_backend.h).
#pragma once

#include <patchbay/result.h>

#include <memory>
#include <string_view>

#include "store/sql_connection.h"

namespace patchbay::core {

class Backend {
 public:
  virtual ~Backend() = default;
  // [writer's thread] Runs the owner's missing migrations, and checks and registers its statements.
  virtual Status add_owner(std::string_view owner, std::string_view schema) = 0;
  virtual WriteConnection& writer() = 0;
  virtual Result<std::unique_ptr<ReadConnection>> open_reader() = 0;
};

}  // namespace patchbay::core
