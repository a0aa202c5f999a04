// The store's database as one SQLite file, which no other process may have open.
#pragma once

#include <filesystem>
#include <memory>

#include "store/backend.h"
#include "store/database.h"
#include "store/schema_registry.h"
#include "store/sqlite_connection.h"

namespace patchbay::core {

class SqliteBackend final : public Backend {
 public:
  struct Options {
    bool scratch = false;  // as StoreOptions
    int64_t lock_timeout_ms = 0;
    int64_t max_pages = 0;
  };
  // Opens or creates the file. Borrows the statements.
  static Result<std::unique_ptr<SqliteBackend>> open(const std::filesystem::path& path,
                                                     std::shared_ptr<const Clock> clock,
                                                     StatementRegistry& statements, const Options& options);

  Status add_owner(std::string_view owner, std::string_view schema) override {
    return schema_registry_.add(owner, schema);
  }
  WriteConnection& writer() override { return writer_; }
  Result<std::unique_ptr<ReadConnection>> open_reader() override;
  Status started(Node node) override;

 private:
  SqliteBackend(std::filesystem::path path, std::shared_ptr<const Clock> clock, Database db,
                StatementRegistry& statements, const Options& options);

  // owned; the clock is shared with the connections
  const std::filesystem::path path_;
  const std::shared_ptr<const Clock> clock_;
  Database db_;
  SchemaRegistry schema_registry_;
  SqliteWriter writer_;
  // state
  const int64_t max_pages_;
};

}  // namespace patchbay::core
