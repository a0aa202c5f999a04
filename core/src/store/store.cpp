#include "store/store.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <limits>

#include "bus/topic_name.h"
#include "store/json_read.h"
#include "store/limits.h"
#include "store/lock_file.h"
#include "store/node_name.h"
#include "store/postgres_backend.h"
#include "store/postgres_limits.h"
#include "store/reader_pool.h"
#include "store/sqlite_backend.h"
#include "store/store_schema.h"  // generated from schema.sql
#include "store/write_tasks.h"

namespace patchbay::core {
namespace {

int64_t system_now_ms() {
  using std::chrono::duration_cast, std::chrono::milliseconds;
  return duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::vector<LoggedEvent> events_of(const Rows& rows) {
  std::vector<LoggedEvent> events;
  events.reserve(rows.row_count());
  for (size_t row = 0; row < rows.row_count(); ++row) {
    auto text = [&](size_t column) { return std::string(rows.text(row, column)); };
    events.push_back({rows.integer(row, 0), text(1), text(2), rows.integer(row, 3), text(4), text(5),
                      rows.integer(row, 6), text(7)});
  }
  return events;
}

std::vector<ConsumerState> states_of(const Rows& rows) {
  std::vector<ConsumerState> states;
  states.reserve(rows.row_count());
  for (size_t row = 0; row < rows.row_count(); ++row) {
    states.push_back({std::string(rows.text(row, 0)), std::string(rows.text(row, 1)), rows.integer(row, 2),
                      rows.integer(row, 3), rows.integer(row, 4) != 0, rows.integer(row, 5),
                      rows.is_null(row, 6) ? -1 : rows.integer(row, 6)});
  }
  return states;
}

// Warns when an existing database has lost its key, because the store will create another one.
void warn_of_lost_key(const std::filesystem::path& path, const StoreOptions& options) {
  std::error_code ignored;
  if (!options.warn || !std::filesystem::exists(path, ignored)) return;
  if (std::filesystem::exists(options.key_file, ignored)) return;
  options.warn("the sealing key " + options.key_file.string() +
               " is missing and was created again: secrets sealed before cannot be read");
}

ReadDone as_rows(Store::Done<Rows> done) {
  return [done = std::move(done)](Result<ReadResult> result) {
    if (!result) return done(std::move(result).error());
    done(std::move(result->rows));
  };
}

Result<JsonRows> as_json(Result<ReadResult> result) {
  if (!result) return std::move(result).error();
  return std::move(result->json);
}

Store::Done<Rows> as_events(Store::Done<std::vector<LoggedEvent>> done) {
  return [done = std::move(done)](Result<Rows> rows) {
    if (!rows) return done(std::move(rows).error());
    done(events_of(*rows));
  };
}

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

// Members with threads come last, so that they are destroyed first.
class Store::Impl {
 public:
  Impl(StoreOptions given, LockFile taken, SecretBox keys, std::shared_ptr<const Clock> now)
      : options(std::move(given)),
        clock(std::move(now)),
        lock(std::move(taken)),
        secret_box(std::move(keys)) {}

  Status open_sqlite(const std::filesystem::path& path) {
    PB_TRY_VALUE(auto opened,
                 SqliteBackend::open(path, clock, statements,
                                     {options.scratch, options.lock_timeout_ms, options.max_pages}));
    backend = std::move(opened);
    return {};
  }

  Status open_postgres() {
    PB_TRY_VALUE(auto opened,
                 PostgresBackend::open(
                     {options.postgres, options.postgres_password, options.scratch, options.write_timeout_ms,
                      options.query_timeout_ms, options.lock_timeout_ms, options.migration_timeout_ms},
                     clock, statements));
    backend = std::move(opened);
    return {};
  }

  Status start(const std::filesystem::path& path) {
    PB_TRY(options.postgres.empty() ? open_sqlite(path) : open_postgres());
    PB_TRY(backend->add_owner("core", kCoreSchema));
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

  template <class T>
  void write(typename FunctionTask<T>::Function function, Done<T> done,
             WriteTask::Kind kind = WriteTask::Kind::grouped) {
    writer->post(std::make_unique<FunctionTask<T>>(std::move(function), std::move(done), kind));
  }

  void ask(const char* name, Values values, Done<Rows> done) {
    reader_pool->post({statements.find("core", name).value_or({}), std::move(values), {}},
                      as_rows(std::move(done)));
  }

  // After commits of other processes. Makes all kept results invalid, so that a client that receives an event
  // reads no older state.
  void on_committed_elsewhere(CommitNotice&& notice) {
    changes_elsewhere.fetch_add(1);
    if (options.on_committed) options.on_committed(std::move(notice));
  }

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
};

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
  impl_->reader_pool->post({statement, std::move(values), {}}, as_rows(std::move(done)));
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

void Store::register_consumer(const std::string& name, const std::vector<std::string>& patterns,
                              Done<void> done) {
  std::string joined;
  for (const std::string& pattern : patterns) {
    if (!valid_pattern(pattern))
      return done({Code::invalid, "'" + pattern + "' is not a topic, 'prefix.*' or '*'"});
    joined += (joined.empty() ? "" : " ") + pattern;
  }
  if (name.empty() || joined.empty())
    return done({Code::invalid, "a consumer has a name and at least one pattern"});
  impl_->write<void>(
      [name, joined](WriteSession& session) -> Status {
        PB_TRY(session.put_consumer(name, joined));
        return session.load_consumers();
      },
      std::move(done), WriteTask::Kind::alone);
}

void Store::forget_consumer(const std::string& name, Done<void> done) {
  impl_->write<void>(
      [name](WriteSession& session) -> Status {
        PB_TRY(session.forget_consumer(name));
        return session.load_consumers();
      },
      std::move(done), WriteTask::Kind::alone);
}

void Store::purge_consumers(int64_t unseen_since_ms, int64_t limit, Done<ConsumerPurgeResult> done) {
  impl_->write<ConsumerPurgeResult>(
      [=](WriteSession& session) -> Result<ConsumerPurgeResult> {
        PB_TRY(session.begin());
        PB_TRY_VALUE(ConsumerPurgeResult tidied, session.purge_consumers(unseen_since_ms, limit));
        PB_TRY(session.commit());  // on an error the writer rolls back
        PB_TRY(session.load_consumers());
        return tidied;
      },
      std::move(done), WriteTask::Kind::alone);
}

void Store::consumers(Done<std::vector<ConsumerState>> done) {
  impl_->ask("consumer-states", {kMaxCountedPending}, [done = std::move(done)](Result<Rows> rows) {
    if (!rows) return done(std::move(rows).error());
    done(states_of(*rows));
  });
}

void Store::pending(std::string consumer, int64_t after_id, int64_t limit,
                    Done<std::vector<LoggedEvent>> done) {
  Values values{consumer, after_id, limit};
  // Halves the limit while the result is too large, otherwise the consumer would never get past these events.
  impl_->ask("pending", std::move(values),
             as_events([this, consumer = std::move(consumer), after_id, limit,
                        done = std::move(done)](Result<std::vector<LoggedEvent>> events) mutable {
               if (!events && events.error().code == Code::exhausted && limit > 1)
                 return pending(std::move(consumer), after_id, limit / 2, std::move(done));
               done(std::move(events));
             }));
}

void Store::read_log(int64_t after_id, int64_t limit, Done<std::vector<LoggedEvent>> done) {
  impl_->ask("event-log", {after_id, limit}, as_events(std::move(done)));
}

// Halves the limit as pending() does.
void Store::read_tenant_log(std::string tenant, int64_t after, int64_t limit, Done<TenantLog> done) {
  Values values{tenant, after, limit};
  impl_->ask("event-log-of-tenant", std::move(values),
             as_events([this, tenant = std::move(tenant), after, limit,
                        done = std::move(done)](Result<std::vector<LoggedEvent>> rows) mutable {
               if (rows) return done(tenant_log(*std::move(rows), after));
               if (rows.error().code == Code::exhausted && limit > 1)
                 return read_tenant_log(std::move(tenant), after, limit / 2, std::move(done));
               done(std::move(rows).error());
             }));
}

void Store::prune(int64_t older_than_ms, PruneCursor from, int64_t limit, Done<PruneResult> done) {
  impl_->write<PruneResult>([=](WriteSession& session) { return session.prune(older_than_ms, from, limit); },
                            std::move(done));
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

Result<std::vector<ConsumerState>> read_consumers(const std::filesystem::path& path,
                                                  const std::string& postgres, const std::string& password) {
  auto clock = std::make_shared<const Clock>(system_now_ms);
  PB_TRY_VALUE(const SchemaText schema, parse_schema(kCoreSchema));
  const auto found = std::find_if(schema.statements.begin(), schema.statements.end(),
                                  [](const auto& each) { return each.name == "consumer-states"; });
  std::unique_ptr<ReadConnection> reader;
  if (postgres.empty()) {
    PB_TRY_VALUE(Database db, Database::open(path, Database::Mode::read, std::move(clock)));
    reader = std::make_unique<SqliteReader>(std::move(db));
  } else {
    PB_TRY_VALUE(const PostgresFunctions* pq, load_postgres());
    reader = std::make_unique<PostgresReader>(
        *pq, PostgresLink::Options{postgres, password, true, false, kQueryTimeoutMs, kLockTimeoutMs},
        std::move(clock));
  }
  Statement statement{"core", found->name, found->sql, found->parameters, true, false};
  PB_TRY_VALUE(const std::unique_ptr<SqlStatement> compiled, reader->prepare(statement));
  Rows rows;
  PB_TRY(compiled->run({kMaxCountedPending}, &rows, kMaxResultBytes));
  return states_of(rows);
}

std::string_view core_schema() { return kCoreSchema; }

}  // namespace patchbay::core
