// The store's database on a PostgreSQL server, which several processes may share.
#pragma once

#include <memory>
#include <string>

#include "store/backend.h"
#include "store/postgres_connection.h"
#include "store/postgres_schemas.h"
#include "store/postgres_watch.h"

namespace patchbay::core {

class PostgresBackend final : public Backend {
 public:
  struct Options {
    std::string conninfo, password;  // as StoreOptions
    bool scratch = false;            // as StoreOptions
    int64_t write_timeout_ms = 0;
    int64_t query_timeout_ms = 0;
    int64_t lock_timeout_ms = 0;
    int64_t migration_timeout_ms = 0;
  };
  // Borrows the statements. Does not connect.
  static Result<std::unique_ptr<PostgresBackend>> open(Options options, std::shared_ptr<const Clock> clock,
                                                       StatementRegistry& statements);

  Status add_owner(std::string_view owner, std::string_view schema) override {
    return schemas_.add(owner, schema);
  }
  Status started(Node node) override;
  void stop() override;
  void watch_jobs(const std::string& kind) override { watch_->watch_jobs(kind); }
  void committed(const CommitNotice& notice) override { watch_->committed(notice); }
  WriteConnection& writer() override { return writer_; }
  Result<std::unique_ptr<ReadConnection>> open_reader() override;

 private:
  PostgresBackend(const PostgresFunctions& pq, Options options, std::shared_ptr<const Clock> clock,
                  StatementRegistry& statements, Database memory);

  // owned; the clock is shared with the connections
  const PostgresFunctions& pq_;
  const Options options_;
  const std::shared_ptr<const Clock> clock_;
  StatementRegistry& statements_;  // borrowed
  PostgresWriter writer_;
  PostgresSchemas schemas_;
  std::unique_ptr<PostgresWatch> watch_;  // set by started()
};

}  // namespace patchbay::core
