#include "store/postgres_backend.h"

#include <utility>

#include "store/postgres_limits.h"

namespace patchbay::core {
namespace {

PostgresLink::Options writer_link(const PostgresBackend::Options& options) {
  return {options.conninfo,
          options.password,
          false,
          options.scratch,
          options.write_timeout_ms + kPostgresIdleInTransactionMs,
          options.lock_timeout_ms};
}

}  // namespace

Result<std::unique_ptr<PostgresBackend>> PostgresBackend::open(Options options,
                                                               std::shared_ptr<const Clock> clock,
                                                               StatementRegistry& statements) {
  PB_TRY_VALUE(const PostgresFunctions* pq, load_postgres());
  if (auto checked = PostgresLink::check(*pq, options.conninfo); !checked)
    return std::move(checked).error().within("the store's address");
  PB_TRY_VALUE(Database memory, Database::open("schemas in memory", Database::Mode::memory, clock));
  return std::unique_ptr<PostgresBackend>(
      new PostgresBackend(*pq, std::move(options), std::move(clock), statements, std::move(memory)));
}

PostgresBackend::PostgresBackend(const PostgresFunctions& pq, Options options,
                                 std::shared_ptr<const Clock> clock, StatementRegistry& statements,
                                 Database memory)
    : pq_(pq),
      options_(std::move(options)),
      clock_(std::move(clock)),
      statements_(statements),
      writer_(pq, writer_link(options_), clock_),
      schemas_(writer_, statements, *clock_, std::move(memory), options_.migration_timeout_ms) {}

Status PostgresBackend::started(Node node) {
  writer_.set_node(node.name, node.epoch);
  watch_ = std::make_unique<PostgresWatch>(pq_, writer_link(options_), clock_, statements_, std::move(node));
  return watch_->start();
}

void PostgresBackend::stop() {
  if (watch_) watch_->stop();
}

Result<std::unique_ptr<ReadConnection>> PostgresBackend::open_reader() {
  PostgresLink::Options link{options_.conninfo,         options_.password,       true, false,
                             options_.query_timeout_ms, options_.lock_timeout_ms};
  return std::unique_ptr<ReadConnection>(std::make_unique<PostgresReader>(pq_, std::move(link), clock_));
}

}  // namespace patchbay::core
