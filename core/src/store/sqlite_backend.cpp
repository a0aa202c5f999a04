#include "store/sqlite_backend.h"

#include <string>
#include <utility>

namespace patchbay::core {

Result<std::unique_ptr<SqliteBackend>> SqliteBackend::open(const std::filesystem::path& path,
                                                           std::shared_ptr<const Clock> clock,
                                                           StatementRegistry& statements,
                                                           const Options& options) {
  const auto mode = options.scratch ? Database::Mode::scratch : Database::Mode::write;
  PB_TRY_VALUE(Database db, Database::open(path, mode, clock));
  std::unique_ptr<SqliteBackend> backend(
      new SqliteBackend(path, std::move(clock), std::move(db), statements, options));
  PB_TRY(backend->writer_.start());
  return backend;
}

SqliteBackend::SqliteBackend(std::filesystem::path path, std::shared_ptr<const Clock> clock, Database db,
                             StatementRegistry& statements, const Options& options)
    : path_(std::move(path)),
      clock_(std::move(clock)),
      db_(std::move(db)),
      schema_registry_(db_, statements),
      writer_(db_, options.lock_timeout_ms),
      max_pages_(options.max_pages) {}

Result<std::unique_ptr<ReadConnection>> SqliteBackend::open_reader() {
  PB_TRY_VALUE(Database opened, Database::open(path_, Database::Mode::read, clock_));
  return std::unique_ptr<ReadConnection>(std::make_unique<SqliteReader>(std::move(opened)));
}

// After the core's tables exist, which may be larger than the limit of a test.
Status SqliteBackend::started(Node) {
  if (max_pages_ == 0) return {};
  return db_.run(("PRAGMA max_page_count=" + std::to_string(max_pages_)).c_str());
}

}  // namespace patchbay::core
