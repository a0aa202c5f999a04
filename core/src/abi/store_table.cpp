#include <algorithm>
#include <memory>
#include <optional>
#include <sstream>
#include <utility>

#include "abi/boundary_copies.h"
#include "abi/event_view.h"
#include "abi/guarded_table.h"
#include "abi/host_context.h"
#include "abi/limits.h"
#include "abi/rows_view.h"
#include "abi/store_registry.h"
#include "bus/topic_name.h"
#include "runtime/executor.h"
#include "runtime/runtime.h"
#include "runtime/task.h"
#include "store/limits.h"

namespace patchbay::core {

Values read_values(const pb_value* values, uint32_t count) {
  Values all;
  all.reserve(count);
  for (uint32_t i = 0; i < count; ++i) {
    switch (values[i].kind) {
      case PB_VALUE_INT:
        all.emplace_back(values[i].integer);
        break;
      case PB_VALUE_REAL:
        all.emplace_back(values[i].real);
        break;
      case PB_VALUE_TEXT:
        all.emplace_back(from_abi(values[i].bytes));
        break;
      case PB_VALUE_BYTES:
        all.push_back(Value::bytes(from_abi(values[i].bytes)));
        break;
      default:
        all.emplace_back();
    }
  }
  return all;
}

namespace store_slots {
namespace {

StoreRegistry& registry_of(void* host) noexcept { return HostContext::of(host).services().store; }

uint64_t statement(void* host, pb_str name) noexcept {
  auto& context = HostContext::of(host);
  const auto id = context.services().store.statement(context.id(), from_abi(name));
  return id ? id->number : 0;
}

// The statement, if it is the plugin's own.
StatementId own_statement(const HostContext& context, uint64_t handle) {
  const StatementId id{static_cast<uint32_t>(handle)};
  return context.services().store.store().owner_of(id) == context.id() ? id : StatementId{};
}

// What a query of a plugin reads, and how it gets the result: as rows, or as JSON.
struct RowsQuery {
  using Read = Rows;
  struct Receiver {
    pb_rows_fn fn;
    void* user;
    void answer(const Rows& rows) const { fn(user, PB_OK, RowsView(rows).get(), nullptr); }
    void fail(int32_t status, const pb_err& err) const { fn(user, status, nullptr, &err); }
  };
  StatementId statement;
  Values values;
  Receiver receiver;

  std::optional<Result<Rows>> run_here(Store& store) const { return store.query_here(statement, values); }
  void post(Store& store, Store::Done<Rows> done) {
    store.query(statement, std::move(values), std::move(done));
  }
};

struct JsonRowsQuery {
  using Read = JsonRowsPtr;
  struct Receiver {
    pb_json_rows_fn fn;
    void* user;
    void answer(const JsonRowsPtr& rows) const {
      const Buffer text = Buffer::adopt(shared_buffer(rows->text, rows));
      fn(user, PB_OK, text.get(), rows->count, nullptr);
    }
    void fail(int32_t status, const pb_err& err) const { fn(user, status, nullptr, 0, &err); }
  };
  JsonQuery query;
  Receiver receiver;

  std::optional<Result<JsonRowsPtr>> run_here(Store& store) const { return store.query_json_here(query); }
  void post(Store& store, Store::Done<JsonRowsPtr> done) {
    store.query_json(std::move(query), std::move(done));
  }
};

// A query under way. On a guest thread (Executor::run_here) it runs between two turns, so that the request
// needs no reader thread; if it takes too long there, a reader thread runs it again.
template <class Query>
struct PendingQuery : Task {
  PendingQuery(HostContext& of, Ref<Strand> to, Query what)
      : Task(&PendingQuery::run_here), context(of), strand(std::move(to)), query(std::move(what)) {}

  static void start(std::unique_ptr<PendingQuery> pending) {
    pending->context.wait_began();
    if (pending->context.services().runtime.executor().run_between_turns(*pending))
      return static_cast<void>(pending.release());  // run_here() owns it
    post(std::move(pending));
  }
  static void run_here(Task& task) noexcept {
    std::unique_ptr<PendingQuery> pending(static_cast<PendingQuery*>(&task));
    auto result = pending->query.run_here(pending->store());
    if (result)
      pending->deliver(*std::move(result));
    else
      post(std::move(pending));
  }
  static void post(std::unique_ptr<PendingQuery> pending) {
    const std::shared_ptr<PendingQuery> shared(std::move(pending));  // shared because functions are copied
    shared->query.post(shared->store(),
                       [shared](Result<typename Query::Read> result) { shared->deliver(std::move(result)); });
  }
  void deliver(Result<typename Query::Read> result) {
    context.deliver(strand, [&context = context, receiver = query.receiver, result = std::move(result)] {
      if (result) {
        receiver.answer(*result);
      } else {
        pb_err err = empty_error();
        const int32_t status = write_error(&err, result.error().code, result.error().text);
        receiver.fail(status, err);
      }
      context.wait_ended();
    });
  }
  Store& store() const { return context.services().store.store(); }

  HostContext& context;
  const Ref<Strand> strand;
  Query query;
};

void query(void* host, uint64_t handle, const pb_value* values, uint32_t count, uint64_t strand,
           pb_rows_fn fn, void* user) noexcept {
  using Pending = PendingQuery<RowsQuery>;
  auto& context = HostContext::of(host);
  Pending::start(std::make_unique<Pending>(
      context, context.strand(strand),
      RowsQuery{own_statement(context, handle), read_values(values, count), {fn, user}}));
}

void query_json(void* host, uint64_t handle, const pb_value* values, uint32_t count, pb_str members,
                uint64_t strand, pb_json_rows_fn fn, void* user) noexcept {
  using Pending = PendingQuery<JsonRowsQuery>;
  auto& context = HostContext::of(host);
  auto pending = std::make_unique<Pending>(
      context, context.strand(strand),
      JsonRowsQuery{{own_statement(context, handle), read_values(values, count), copied(members)},
                    {fn, user}});
  if (auto kept = pending->store().kept_json(pending->query.query)) {
    context.wait_began();
    return pending->deliver(std::move(kept));
  }
  Pending::start(std::move(pending));
}

uint64_t begin(void* host) noexcept {
  auto& context = HostContext::of(host);
  if (context.handles().transactions.size() >= kMaxOpenTransactions) {
    context.report_misuse("holds too many open transactions: commit or discard them", "begin");
    return 0;
  }
  const uint64_t handle = registry_of(host).transactions().add(std::make_shared<OpenTransaction>());
  context.handles().transactions.put(handle, true);
  return handle;
}

int32_t add(void* host, uint64_t tx, Op op) noexcept {
  const auto open = registry_of(host).transactions().find(tx);
  return open ? open->add(std::move(op)) : PB_E_GONE;
}

int32_t exec(void* host, uint64_t tx, uint64_t handle, const pb_value* values, uint32_t count,
             int64_t expected_changes) noexcept {
  const StatementId id = own_statement(HostContext::of(host), handle);
  return add(host, tx, ExecOp{id, read_values(values, count), expected_changes});
}

int32_t savepoint(void* host, uint64_t tx) noexcept { return add(host, tx, SavepointOp{}); }

int32_t release(void* host, uint64_t tx) noexcept { return add(host, tx, ReleaseOp{}); }

int32_t emit(void* host, uint64_t tx, const pb_event* event, pb_str unique_key) noexcept {
  if (const Status allowed = HostContext::of(host).check_topic(from_abi(event->topic)); !allowed) {
    const auto open = registry_of(host).transactions().find(tx);
    return open ? open->refuse(allowed.error()) : PB_E_GONE;
  }
  return add(host, tx,
             EmitOp{copied(event->topic), copied(event->tenant), copied(event->subject),
                    copied(event->correlation), copied(event->payload), copied(unique_key)});
}

// Puts the plugin's id in front of a job kind or consumer name, so that plugins cannot use each other's.
std::string own_name(void* host, pb_str name) { return HostContext::of(host).id() + "/" + copied(name); }

int32_t job_add(void* host, uint64_t tx, pb_str kind, pb_str tenant, pb_str key, int64_t due_ms,
                pb_str body) noexcept {
  return add(host, tx, JobAddOp{own_name(host, kind), copied(tenant), copied(key), due_ms, copied(body)});
}

int32_t job_done(void* host, uint64_t tx, int64_t job, int64_t fence) noexcept {
  return add(host, tx, JobDoneOp{job, fence, own_name(host, {})});
}

int32_t job_retry(void* host, uint64_t tx, int64_t job, int64_t fence, int64_t due_ms) noexcept {
  return add(host, tx, JobRetryOp{job, fence, due_ms, own_name(host, {})});
}

int32_t job_cancel(void* host, uint64_t tx, pb_str kind, pb_str key) noexcept {
  return add(host, tx, JobCancelOp{own_name(host, kind), copied(key)});
}

int32_t ack(void* host, uint64_t tx, pb_str consumer, int64_t event_id) noexcept {
  return add(host, tx, AckOp{own_name(host, consumer), event_id});
}

// Passes the outcome of a commit to the plugin, on its strand.
void report_outcome(const CommitResult& result, const std::vector<size_t>& execs,
                    const std::vector<size_t>& savepoints, pb_commit_fn fn, void* user) {
  const bool ok = result.status.ok();
  std::vector<RowsView> rows;
  std::vector<const pb_rows*> pointers;
  std::vector<int32_t> groups;
  rows.reserve(execs.size());
  for (const size_t index : ok ? execs : std::vector<size_t>{}) {
    rows.emplace_back(result.ops[index].rows);
    pointers.push_back(result.ops[index].rows.column_count() > 0 ? rows.back().get() : nullptr);
  }
  for (const size_t index : ok ? savepoints : std::vector<size_t>{}) {
    const Status& status = result.ops[index].status;
    groups.push_back(status ? PB_OK : static_cast<int32_t>(status.error().code));
  }
  const pb_commit outcome{sizeof(pb_commit),
                          ok ? PB_OK : static_cast<int32_t>(result.status.error().code),
                          result.failed_op,
                          static_cast<uint32_t>(groups.size()),
                          groups.data(),
                          static_cast<uint32_t>(pointers.size()),
                          0,
                          pointers.data(),
                          ok ? pb_str{} : to_abi(result.status.error().text)};
  fn(user, &outcome);
}

void commit(void* host, uint64_t tx, uint64_t strand, pb_commit_fn fn, void* user) noexcept {
  auto& context = HostContext::of(host);
  StoreRegistry& registry = context.services().store;
  const auto open = registry.transactions().take(tx);
  context.handles().transactions.take(tx);
  context.wait_began();
  auto built = open ? open->take() : std::nullopt;
  if (!built) {
    built.emplace();
    built->status = {Code::gone, "the transaction has ended"};
  }
  auto tell = [&context, &registry, strand = context.strand(strand), fn, user,
               execs = std::move(built->execs), savepoints = std::move(built->savepoints),
               jobs = StoreRegistry::jobs_ended_by(built->data)](CommitResult result) {
    if (result.status) registry.claims_ended(jobs);
    context.deliver(strand, [&context, execs, savepoints, fn, user, result = std::move(result)] {
      report_outcome(result, execs, savepoints, fn, user);
      context.wait_ended();
    });
  };
  if (!built->status) return tell({std::move(built->status), -1, {}, {}});
  registry.store().commit(std::move(built->data), std::move(tell));
}

void discard(void* host, uint64_t tx) noexcept {
  HostContext::of(host).handles().transactions.take(tx);
  if (const auto open = registry_of(host).transactions().take(tx)) open->take();
}

uint64_t job_worker(void* host, pb_str kind, uint32_t concurrency, int64_t lease_ms, uint64_t strand_handle,
                    pb_job_fn fn, void* user) noexcept {
  auto& context = HostContext::of(host);
  Ref<Strand> strand = context.strand(strand_handle);
  if (!strand) return 0;
  const int64_t lease = std::clamp(lease_ms, kMinLeaseMs, kMaxLeaseMs);
  if (lease != lease_ms)
    context.report_misuse("a lease is a second at least and a day at most", "job_worker");
  StoreRegistry& registry = context.services().store;
  const Ref<JobWorker> worker =
      make_ref<JobWorker>(context.services().runtime, registry.store(), std::move(strand),
                          JobWorkerInit{own_name(host, kind), std::max(concurrency, 1u), lease, fn, user});
  registry.add(worker);
  worker->check_due();
  return context.handles().job_workers.add(worker);
}

void job_worker_close(void* host, uint64_t handle, pb_fn done, void* user) noexcept {
  auto& context = HostContext::of(host);
  const Ref<JobWorker> worker = context.handles().job_workers.take(handle);
  if (!worker) return context.report_unheld_handle("job_worker_close", handle);
  registry_of(host).remove(*worker);
  worker->cancel_timer();
  worker->close(done, user);
}

uint64_t consumer(void* host, pb_str name, pb_str patterns, uint64_t strand_handle, pb_fn wake, void* user,
                  pb_err* err) noexcept {
  auto& context = HostContext::of(host);
  Ref<Strand> strand = context.strand(strand_handle);
  std::istringstream words(copied(patterns));
  std::vector<std::string> list;
  for (std::string word; words >> word;) {
    if (!valid_pattern(word)) {
      write_error(err, Code::invalid, "not a pattern of topics: " + word);
      return 0;
    }
    list.push_back(word);
  }
  if (!strand || list.empty()) {
    write_error(err, Code::misuse, "a consumer needs a live strand and a pattern");
    return 0;
  }
  if (context.handles().consumers.size() >= kMaxConsumers) {
    write_error(err, Code::exhausted, "a plugin has at most " + std::to_string(kMaxConsumers) + " consumers");
    return 0;
  }
  StoreRegistry& registry = context.services().store;
  const Ref<DurableConsumer> held = make_ref<DurableConsumer>(context.services(), std::move(strand),
                                                              own_name(host, name), list, wake, user);
  registry.add(held);
  held->enroll();
  return context.handles().consumers.add(held);
}

void consumer_close(void* host, uint64_t handle, pb_fn done, void* user) noexcept {
  auto& context = HostContext::of(host);
  const Ref<DurableConsumer> held = context.handles().consumers.take(handle);
  if (!held) return context.report_unheld_handle("consumer_close", handle);
  registry_of(host).remove(*held);
  held->cancel_timer();
  held->close(done, user);
}

// The events as the boundary passes them; borrows them.
class EventViews {
 public:
  EventViews(std::vector<LoggedEvent>&&) = delete;
  explicit EventViews(const std::vector<LoggedEvent>& events) {
    views_.reserve(events.size());
    for (const LoggedEvent& event : events) {
      views_.push_back(event_view(event));
      pointers_.push_back(&views_.back());
    }
  }
  const pb_event* const* data() const noexcept { return pointers_.data(); }
  uint32_t size() const noexcept { return static_cast<uint32_t>(pointers_.size()); }

 private:
  std::vector<pb_event> views_;
  std::vector<const pb_event*> pointers_;
};

void pending(void* host, uint64_t handle, uint32_t limit, uint64_t strand, pb_events_fn fn,
             void* user) noexcept {
  auto& context = HostContext::of(host);
  const Ref<DurableConsumer> held = context.handles().consumers.find(handle);
  if (!held) return fn(user, PB_E_GONE, nullptr, 0);
  context.wait_began();
  registry_of(host).store().pending(
      held->name(), 0, limit,
      [&context, strand = context.strand(strand), fn, user](Result<std::vector<LoggedEvent>> events) {
        context.deliver(strand, [&context, fn, user, events = std::move(events)] {
          if (events) {
            const EventViews views(*events);
            fn(user, PB_OK, views.data(), views.size());
          } else {
            fn(user, static_cast<int32_t>(events.error().code), nullptr, 0);
          }
          context.wait_ended();
        });
      });
}

void read_log(void* host, pb_str tenant, int64_t after, uint32_t limit, uint64_t strand, pb_event_log_fn fn,
              void* user) noexcept {
  auto& context = HostContext::of(host);
  context.wait_began();
  auto answer = [fn, user](const Result<TenantLog>& log) {
    if (log) {
      const EventViews views(log->events);
      return fn(user, PB_OK, views.data(), views.size(), log->oldest, log->newest, nullptr);
    }
    pb_err err = empty_error();
    const int32_t status = write_error(&err, log.error().code, log.error().text);
    fn(user, status, nullptr, 0, 0, 0, &err);
  };
  registry_of(host).store().read_tenant_log(
      copied(tenant), std::max<int64_t>(after, 0), std::clamp<int64_t>(limit, 1, kMaxLogEvents),
      [&context, strand = context.strand(strand), answer](Result<TenantLog> log) {
        context.deliver(strand, [&context, answer, log = std::move(log)] {
          answer(log);
          context.wait_ended();
        });
      });
}

int64_t epoch(void* host) noexcept { return registry_of(host).store().epoch(); }

// Puts the plugin's id in front of the context, so that no other plugin can unseal what this one sealed.
std::string own_context(void* host, pb_str words) { return HostContext::of(host).id() + "/" + copied(words); }

pb_buf* seal(void* host, pb_str plain, pb_str words) noexcept {
  const auto sealed = registry_of(host).store().secret_box().seal(from_abi(plain), own_context(host, words));
  return sealed ? copied_buffer(*sealed) : nullptr;
}

pb_buf* unseal(void* host, pb_str sealed, pb_str words) noexcept {
  const auto plain =
      registry_of(host).store().secret_box().unseal(from_abi(sealed), own_context(host, words));
  return plain ? copied_buffer(*plain) : nullptr;
}

pb_str data_folder(void* host) noexcept { return to_abi(HostContext::of(host).data_folder()); }

constexpr pb_store kFunctions{sizeof(pb_store),
                              0,
                              &statement,
                              &query,
                              &begin,
                              &exec,
                              &savepoint,
                              &release,
                              &emit,
                              &job_add,
                              &job_done,
                              &job_retry,
                              &job_cancel,
                              &ack,
                              &commit,
                              &discard,
                              &job_worker,
                              &job_worker_close,
                              &consumer,
                              &consumer_close,
                              &pending,
                              &epoch,
                              &seal,
                              &unseal,
                              &data_folder,
                              &query_json,
                              &read_log};
constexpr pb_store kTable = guarded<kFunctions>();

}  // namespace
}  // namespace store_slots

const pb_store& store_table() noexcept { return store_slots::kTable; }

}  // namespace patchbay::core
