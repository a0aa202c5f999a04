#include "store/store_impl.h"

#include "store/limits.h"
#include "store/postgres_backend.h"
#include "store/postgres_limits.h"
#include "store/sqlite_backend.h"

namespace patchbay::core {
namespace {

Writer::Options writer_options(const StoreOptions& options, Backend& backend) {
  Writer::Options writer;
  writer.max_queued = options.max_queued;
  writer.max_queued_bytes = options.max_queued_bytes;
  writer.task_timeout_ms = options.write_timeout_ms;
  writer.migration_timeout_ms = options.migration_timeout_ms;
  writer.on_committed = [&backend, announce = options.on_committed](CommitNotice&& notice) {
    backend.committed(notice);
    if (announce) announce(std::move(notice));
  };
  writer.warn = options.warn;
  writer.on_fatal = options.on_fatal;
  return writer;
}

Result<int64_t> start_epoch(WriteSession& session, const std::string& node) {
  PB_TRY(session.begin());
  Rows rows;
  auto retired = session.run("node-retire", {node});
  auto added = retired ? session.run("node-add", {node, kNodeLeaseMs}, &rows) : std::move(retired);
  // After the new row, which continues the epochs of this node.
  if (added) {
    auto forgotten = session.run("nodes-forget", {kNodeForgetMs});
    if (!forgotten) added = std::move(forgotten);
  }
  // The claims of the node's last process are released at once, because that process is dead.
  if (added) added = session.run("jobs-give-back", {node});
  Status committed;
  if (added) committed = session.commit();
  session.roll_back();
  if (!added) return std::move(added).error();
  if (!committed) return std::move(committed).error();
  session.set_epoch(rows.integer(0, 0));
  return rows.integer(0, 0);
}

}  // namespace

Status Store::Impl::start(const std::filesystem::path& path) {
  PB_TRY(options.postgres.empty() ? open_sqlite(path) : open_postgres());
  PB_TRY(backend->add_owner("core", core_schema()));
  session.emplace(backend->writer(), statements, *clock,
                  WriteSessionOptions{options.node, options.max_result_bytes});
  PB_TRY(session->load());
  PB_TRY_VALUE(epoch, start_epoch(*session, options.node));
  PB_TRY(backend->started({options.node, epoch,
                           [this](CommitNotice&& notice) { on_committed_elsewhere(std::move(notice)); },
                           options.warn}));
  const bool more_readers = !options.postgres.empty() && options.reader_threads == kReaderThreads;
  const int readers = more_readers ? kPostgresReaders : options.reader_threads;
  reader_pool.emplace(statements, ReaderPool::Options{readers, options.max_queued, options.max_result_bytes,
                                                      options.query_timeout_ms, options.warn});
  PB_TRY(reader_pool->start(*backend));
  writer.emplace(backend->writer(), *session, writer_options(options, *backend));
  writer->start();
  return {};
}

Status Store::Impl::open_sqlite(const std::filesystem::path& path) {
  PB_TRY_VALUE(auto opened,
               SqliteBackend::open(path, clock, statements,
                                   {options.scratch, options.lock_timeout_ms, options.max_pages}));
  backend = std::move(opened);
  return {};
}

Status Store::Impl::open_postgres() {
  PB_TRY_VALUE(auto opened,
               PostgresBackend::open(
                   {options.postgres, options.postgres_password, options.scratch, options.write_timeout_ms,
                    options.query_timeout_ms, options.lock_timeout_ms, options.migration_timeout_ms},
                   clock, statements));
  backend = std::move(opened);
  return {};
}

// After commits of other processes. Makes all kept results invalid, so that a client that receives an event
// reads no older state.
void Store::Impl::on_committed_elsewhere(CommitNotice&& notice) {
  changes_elsewhere.fetch_add(1);
  if (options.on_committed) options.on_committed(std::move(notice));
}

ReadDone Store::Impl::as_rows(Done<Rows> done) {
  return [done = std::move(done)](Result<ReadResult> result) {
    if (!result) return done(std::move(result).error());
    done(std::move(result->rows));
  };
}

}  // namespace patchbay::core
