#include "store/store.h"

#include <chrono>
#include <future>
#include <limits>

#include "store/node_name.h"
#include "store/store_impl.h"
#include "store/store_schema.h"  // generated from schema.sql

namespace patchbay::core {
namespace {

// Warns when an existing database has lost its key, because the store will create another one.
void warn_of_lost_key(const std::filesystem::path& path, const StoreOptions& options) {
  std::error_code ignored;
  if (!options.warn || !std::filesystem::exists(path, ignored)) return;
  if (std::filesystem::exists(options.key_file, ignored)) return;
  options.warn("the sealing key " + options.key_file.string() +
               " is missing and was created again: secrets sealed before cannot be read");
}

Result<JsonRows> as_json(Result<ReadResult> result) {
  if (!result) return std::move(result).error();
  return std::move(result->json);
}

}  // namespace

Result<std::unique_ptr<Store>> Store::open(const std::filesystem::path& path, StoreOptions options) {
  auto clock = std::make_shared<const Clock>(options.now_ms ? options.now_ms : system_now_ms);
  if (options.key_file.empty()) options.key_file = path.parent_path() / "sealing.key";
  PB_TRY_VALUE(LockFile lock, LockFile::acquire(path.string() + ".lock"));
  if (options.node.empty() && options.postgres.empty()) options.node = "node";
  if (options.node.empty()) {
    PB_TRY_VALUE(options.node, node_name(path.parent_path() / "node"));
  }
  warn_of_lost_key(path, options);
  PB_TRY_VALUE(SecretBox secret_box, SecretBox::open(options.key_file, !options.scratch));
  auto impl = std::make_unique<Impl>(std::move(options), std::move(lock), std::move(secret_box), clock);
  PB_TRY(impl->start(path));
  return std::unique_ptr<Store>(new Store(std::move(impl)));
}

Store::Store(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Store::~Store() { close(); }

// Stops the readers first, because an open reader would keep the writer from emptying the log at its end.
void Store::close() {
  impl_->reader_pool->stop(impl_->options.close_timeout_ms);
  impl_->writer->stop(impl_->options.close_timeout_ms);
  impl_->backend->stop();
}

// The promise is shared with the task, which may outlive the wait.
Status Store::register_owner(std::string_view owner, std::string_view schema) {
  auto finished = std::make_shared<std::promise<Status>>();
  auto answer = finished->get_future();
  impl_->write<void>([backend = impl_->backend.get(), name = std::string(owner),
                      text = std::string(schema)](WriteSession&) { return backend->add_owner(name, text); },
                     [finished](Status status) { finished->set_value(std::move(status)); },
                     WriteTask::Kind::migration);
  const auto patience =
      std::chrono::milliseconds(impl_->options.migration_timeout_ms + impl_->options.write_timeout_ms);
  if (answer.wait_for(patience) == std::future_status::ready) return answer.get();
  return {Code::timeout, "the schema of '" + std::string(owner) + "' was not registered in time"};
}

Result<StatementId> Store::statement(std::string_view owner, std::string_view name) const {
  return impl_->statements.find(owner, name);
}

std::string Store::owner_of(StatementId statement) const {
  const Statement* found = impl_->statements.get(statement);
  return found ? found->owner : "";
}

void Store::commit(Transaction transaction, CommitDone done) {
  if (auto shape = check_shape(transaction); !shape) return done({std::move(shape), -1, {}, {}});
  impl_->writer->post(
      std::make_unique<CommitTask>(impl_->statements, std::move(transaction), std::move(done)));
}

void Store::query(StatementId statement, Values values, Done<Rows> done) {
  impl_->reader_pool->post({statement, std::move(values), {}}, Impl::as_rows(std::move(done)));
}

std::optional<Result<Rows>> Store::query_here(StatementId statement, const Values& values) {
  auto result = impl_->reader_pool->run_here({statement, values, {}});
  if (!result) return std::nullopt;
  return *result ? Result<Rows>(std::move((*result)->rows)) : Result<Rows>(std::move(*result).error());
}

JsonRowsPtr Store::kept_json(const JsonQuery& query) { return impl_->json_read(query).kept(); }

std::optional<Result<JsonRowsPtr>> Store::query_json_here(const JsonQuery& query) {
  const JsonRead read = impl_->json_read(query);
  auto members = JsonMembers::parse(query.members);
  if (!members) return std::move(members).error();
  auto result = impl_->reader_pool->run_here({query.statement, query.values, *std::move(members)});
  if (!result) return std::nullopt;
  return read.keep(as_json(*std::move(result)));
}

void Store::query_json(JsonQuery query, Done<JsonRowsPtr> done) {
  JsonRead read = impl_->json_read(query);
  auto members = JsonMembers::parse(query.members);
  if (!members) return done(std::move(members).error());
  impl_->reader_pool->post({query.statement, std::move(query.values), *std::move(members)},
                           [read = std::move(read), done = std::move(done)](Result<ReadResult> result) {
                             done(read.keep(as_json(std::move(result))));
                           });
}

void Store::claim_jobs(const std::string& kind, int64_t limit, int64_t lease_ms,
                       Done<std::vector<Job>> done) {
  impl_->backend->watch_jobs(kind);
  impl_->write<std::vector<Job>>(
      [=](WriteSession& session) { return session.claim_jobs(kind, limit, lease_ms); }, std::move(done));
}

void Store::next_due(std::string kind, Done<int64_t> done) {
  impl_->ask("next-due", {std::move(kind)}, [done = std::move(done)](Result<Rows> rows) {
    if (!rows) return done(std::move(rows).error());
    done(rows->is_null(0, 0) ? std::numeric_limits<int64_t>::max() : rows->integer(0, 0));
  });
}

int64_t Store::epoch() const { return impl_->epoch; }
const std::string& Store::node() const { return impl_->options.node; }
bool Store::is_shared() const { return !impl_->options.postgres.empty(); }
const SecretBox& Store::secret_box() const { return impl_->secret_box; }

StoreStats Store::stats() const {
  constexpr int64_t kPageBytes = 4096;
  const auto histogram = [](const observe::Series& series, const observe::Bounds& bounds) {
    return StoreStats::Histogram{bounds, series.buckets(), series.value()};
  };
  const WriterStats& writer = impl_->writer->stats();
  const LogStats& log = impl_->backend->writer().log_stats();
  StoreStats stats;
  stats.tasks = writer.tasks;
  stats.refused = writer.refused;
  stats.timeouts = writer.timeouts;
  stats.commits = writer.commits;
  stats.unsynced = log.unsynced;
  stats.checkpoints = log.checkpoints;
  stats.failed_checkpoints = log.failed_checkpoints;
  stats.lock_waits = log.lock_waits;
  stats.log_bytes = log.wal_pages * kPageBytes;
  stats.queued = impl_->writer->queued();
  stats.queued_bytes = impl_->writer->queued_bytes();
  stats.group_tasks = histogram(writer.group_tasks, WriterStats::group_bounds());
  stats.commit_seconds = histogram(writer.commit_seconds, observe::seconds_bounds());
  const ReaderStats& readers = impl_->reader_pool->stats();
  stats.reads = readers.answered;
  stats.refused_reads = readers.refused;
  stats.read_timeouts = readers.timeouts;
  stats.queued_reads = impl_->reader_pool->queued();
  return stats;
}

std::string_view core_schema() { return kCoreSchema; }

}  // namespace patchbay::core
