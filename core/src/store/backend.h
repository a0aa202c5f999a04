// Backend: a database, as the store uses it. Implemented for SQLite (sqlite_backend.h).
#pragma once

#include <patchbay/result.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "store/commit_notice.h"
#include "store/sql_connection.h"

namespace patchbay::core {

class Backend {
 public:
  virtual ~Backend() = default;
  // [writer's thread] Runs the owner's missing migrations, and checks and registers its statements.
  virtual Status add_owner(std::string_view owner, std::string_view schema) = 0;
  // This process among those that share the database.
  struct Node {
    std::string name;
    int64_t epoch = 0;
    std::function<void(CommitNotice&&)> on_elsewhere;  // what others have committed; may be empty
    std::function<void(const std::string&)> warn;      // may be empty
  };
  // Called once, after the core's schema is registered and this node has its epoch.
  virtual Status started(Node node) = 0;
  // Ends the backend's own thread, if it has one. After the last commit.
  virtual void stop() {}
  // [any] What this process does, so that the others' doings can be told from it.
  virtual void watch_jobs(const std::string&) {}
  virtual void committed(const CommitNotice&) {}
  virtual WriteConnection& writer() = 0;
  virtual Result<std::unique_ptr<ReadConnection>> open_reader() = 0;
};

}  // namespace patchbay::core
