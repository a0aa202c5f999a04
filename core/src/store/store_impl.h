// Store::Impl: the parts of a store and their start.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "store/backend.h"
#include "store/json_read.h"
#include "store/lock_file.h"
#include "store/reader_pool.h"
#include "store/statement_registry.h"
#include "store/store.h"
#include "store/write_session.h"
#include "store/write_tasks.h"
#include "store/writer.h"

namespace patchbay::core {

// Members with threads come last, so that they are destroyed first.
class Store::Impl {
 public:
  Impl(StoreOptions given, LockFile taken, SecretBox keys, std::shared_ptr<const Clock> now)
      : options(std::move(given)),
        clock(std::move(now)),
        lock(std::move(taken)),
        secret_box(std::move(keys)) {}

  // Connects to the database, runs the core's migrations, begins this node's epoch, and starts the threads.
  Status start(const std::filesystem::path& path);

  // Posts a function to the writer.
  template <class T>
  void write(typename FunctionTask<T>::Function function, Done<T> done,
             WriteTask::Kind kind = WriteTask::Kind::grouped) {
    writer->post(std::make_unique<FunctionTask<T>>(std::move(function), std::move(done), kind));
  }

  // Posts one of the core's queries to the readers.
  void ask(const char* name, Values values, Done<Rows> done) {
    reader_pool->post({statements.find("core", name).value_or({}), std::move(values), {}},
                      as_rows(std::move(done)));
  }
  static ReadDone as_rows(Done<Rows> done);
  JsonRead json_read(const JsonQuery& query) {
    return {json_cache, query, statements.get(query.statement), changes_elsewhere.load(),
            backend->writer().is_shared()};
  }

  const StoreOptions options;
  const std::shared_ptr<const Clock> clock;
  LockFile lock;
  SecretBox secret_box;
  StatementRegistry statements;
  std::unique_ptr<Backend> backend;
  // set by start()
  std::optional<WriteSession> session;
  int64_t epoch = 0;
  JsonCache json_cache;
  std::atomic<uint64_t> changes_elsewhere{0};  // part of each kept result's version
  std::optional<Writer> writer;
  std::optional<ReaderPool> reader_pool;

 private:
  Status open_sqlite(const std::filesystem::path& path);
  Status open_postgres();
  void on_committed_elsewhere(CommitNotice&& notice);
};

}  // namespace patchbay::core
