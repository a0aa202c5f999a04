// The store in C++: values, rows, statements, transactions, jobs, durable consumers. See abi/store.h.
#pragma once

#include <charconv>
#include <string>
#include <vector>

#include "event.h"
#include "host.h"
#include "message.h"

namespace patchbay {

// A parameter of a statement; owns its bytes.
class Value {
 public:
  Value(std::nullptr_t) : kind_(PB_VALUE_NULL) {}                       // NOLINT(google-explicit-constructor)
  Value(std::string_view text) : kind_(PB_VALUE_TEXT), bytes_(text) {}  // NOLINT(google-explicit-constructor)
  Value(const char* text) : Value(std::string_view(text)) {}            // NOLINT(google-explicit-constructor)
  Value(const std::string& text) : Value(std::string_view(text)) {}     // NOLINT(google-explicit-constructor)
  Value(double real) : kind_(PB_VALUE_REAL), real_(real) {}             // NOLINT(google-explicit-constructor)
  template <class Int, class = std::enable_if_t<std::is_integral_v<Int>>>
  Value(Int integer) : kind_(PB_VALUE_INT), integer_(static_cast<int64_t>(integer)) {}  // NOLINT
  static Value bytes(std::string_view raw) {
    Value value(raw);
    value.kind_ = PB_VALUE_BYTES;
    return value;
  }
  static Value text_or_null(std::string_view text) { return text.empty() ? Value(nullptr) : Value(text); }
  pb_value to_abi_value() const noexcept { return {kind_, 0, integer_, real_, to_abi(bytes_)}; }

 private:
  uint32_t kind_;
  int64_t integer_ = 0;
  double real_ = 0;
  std::string bytes_;
};
using Values = std::vector<Value>;

namespace detail {
inline std::vector<pb_value> to_abi_values(const Values& values) {
  std::vector<pb_value> raw;
  raw.reserve(values.size());
  for (const Value& value : values) raw.push_back(value.to_abi_value());
  return raw;
}
}  // namespace detail

// Rows of a query. Borrowed: valid during the callback.
class Rows {
 public:
  explicit Rows(const pb_rows* rows) : rows_(rows) {}
  size_t size() const noexcept { return rows_ != nullptr ? rows_->rows : 0; }
  bool empty() const noexcept { return size() == 0; }
  bool is_null(size_t row, size_t column) const noexcept { return cell(row, column).kind == PB_VALUE_NULL; }
  std::string_view text(size_t row, size_t column) const noexcept {
    return from_abi(cell(row, column).bytes);
  }
  int64_t integer(size_t row, size_t column) const noexcept { return cell(row, column).integer; }
  double real(size_t row, size_t column) const noexcept { return cell(row, column).real; }

 private:
  const pb_value& cell(size_t row, size_t column) const noexcept {
    assert(row < size() && column < rows_->columns);
    return rows_->cells[row * rows_->columns + column];
  }
  const pb_rows* rows_;
};

// The outcome of a commit. Borrowed: valid during the callback.
class Commit {
 public:
  explicit Commit(const pb_commit* outcome) : outcome_(outcome) {}
  bool ok() const noexcept { return outcome_->status == PB_OK; }
  explicit operator bool() const noexcept { return ok(); }
  Code code() const noexcept { return static_cast<Code>(outcome_->status); }
  Error error() const { return {code(), std::string(from_abi(outcome_->text))}; }
  int32_t failed_operation() const noexcept { return outcome_->failed_operation; }
  bool savepoint_ok(size_t index) const noexcept {
    return index < outcome_->savepoints && outcome_->savepoint_status[index] == PB_OK;
  }
  // Rows returned by the n-th exec().
  Rows result(size_t index) const noexcept {
    return Rows(index < outcome_->result_count ? outcome_->results[index] : nullptr);
  }

 private:
  const pb_commit* outcome_;
};

// A statement of the plugin's SQL. Find it once, at start.
struct Statement {
  uint64_t id = 0;
  explicit operator bool() const noexcept { return id != 0; }
  // Logs an error when the SQL has no such section, which is a bug of the plugin.
  static Statement find(const Host& host, std::string_view name) {
    const Statement statement{host.store->statement(host.self, to_abi(name))};
    if (!statement) host.log_fault("there is no such statement in store.sql", "statement", name);
    return statement;
  }
};

// [any] Runs a reading statement; calls f(Result<Rows>) on the strand.
template <class F>
void query(const Host& host, Statement statement, const Values& values, F f, StrandId strand = kMainStrand) {
  struct Pending {
    const Host& host;
    F f;
  };
  const auto raw = detail::to_abi_values(values);
  host.store->query(
      host.self, statement.id, raw.data(), static_cast<uint32_t>(raw.size()), strand,
      [](void* user, int32_t status, const pb_rows* rows, const pb_err* err) noexcept {
        std::unique_ptr<Pending> self(static_cast<Pending*>(user));
        guard_void(
            [&] {
              self->f(status == PB_OK ? Result<Rows>(Rows(rows)) : Result<Rows>(read_error(status, err)));
            },
            [&](const char* text) { self->host.log_thrown("query", text); });
      },
      new Pending{host, std::move(f)});
}

// Rows of a query as JSON text: an array of objects.
struct JsonRows {
  Buffer text;       // immutable, perhaps shared with other readers
  size_t count = 0;  // of the rows
};

// [any] Runs a reading statement; calls f(Result<JsonRows>) on the strand. For `members` see
// pb_store::query_json: "callId status createdAtUtc@". Cheaper than query() and a JsonWriter, because no
// value is copied in between, and the host may keep the text for the next request.
template <class F>
void query_json(const Host& host, Statement statement, const Values& values, std::string_view members, F f,
                StrandId strand = kMainStrand) {
  struct Pending {
    const Host& host;
    F f;
  };
  if (!PB_HAS(host.store, query_json))
    return f(Result<JsonRows>(Code::unsupported, "this server is too old for query_json"));
  const auto raw = detail::to_abi_values(values);
  host.store->query_json(
      host.self, statement.id, raw.data(), static_cast<uint32_t>(raw.size()), to_abi(members), strand,
      [](void* user, int32_t status, pb_buf* json, uint64_t rows, const pb_err* err) noexcept {
        std::unique_ptr<Pending> self(static_cast<Pending*>(user));
        guard_void(
            [&] {
              self->f(status == PB_OK ? Result<JsonRows>(JsonRows{Buffer::share(json), rows})
                                      : Result<JsonRows>(read_error(status, err)));
            },
            [&](const char* text) { self->host.log_thrown("query", text); });
      },
      new Pending{host, std::move(f)});
}

// [any] Runs a reading statement of one column, such as SELECT COUNT(*); calls f(Result<int64_t>) with the
// first row's number, 0 without rows. The host may keep it for the next request, as with query_json().
template <class F>
void query_number(const Host& host, Statement statement, const Values& values, F f,
                  StrandId strand = kMainStrand) {
  constexpr std::string_view kBefore = R"([{"n":)";
  query_json(
      host, statement, values, "n",
      [f = std::move(f), kBefore](const Result<JsonRows>& rows) mutable {
        if (!rows) return f(Result<int64_t>(rows.error()));
        int64_t number = 0;
        const std::string_view text = rows->text.view().substr(rows->count > 0 ? kBefore.size() : 0);
        std::from_chars(text.data(), text.data() + text.size(), number);
        f(Result<int64_t>(number));
      },
      strand);
}

// A transaction under construction. Its destructor discards it unless it was committed. handle() may be
// passed to a service, which adds operations through Transaction::borrow.
class Transaction {
 public:
  explicit Transaction(const Host& host) : host_(&host), id_(host.store->begin(host.self)), owned_(true) {}
  static Transaction borrow(const Host& host, Handle tx) { return Transaction(host, tx.id); }
  Transaction(Transaction&& other) noexcept
      : host_(other.host_), id_(std::exchange(other.id_, 0)), owned_(other.owned_), execs_(other.execs_) {}
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction() {
    if (owned_ && id_ != 0) host_->store->discard(host_->self, id_);
  }
  Handle handle() const noexcept { return {id_}; }

  // Returns the index of its result in the outcome. Not for borrowed transactions, whose earlier operations
  // are not counted.
  size_t exec(Statement statement, const Values& values, int64_t expected_changes = PB_ANY_CHANGES) {
    const auto raw = detail::to_abi_values(values);
    host_->store->exec(host_->self, id_, statement.id, raw.data(), static_cast<uint32_t>(raw.size()),
                       expected_changes);
    return execs_++;
  }
  void savepoint() { host_->store->savepoint(host_->self, id_); }
  void release() { host_->store->release(host_->self, id_); }
  void emit(const NewEvent& event, std::string_view unique_key = {}) {
    const pb_event raw = event.to_abi_event();
    host_->store->emit(host_->self, id_, &raw, to_abi(unique_key));
  }
  void job_add(std::string_view kind, std::string_view tenant, std::string_view key, int64_t due_ms,
               std::string_view body) {
    host_->store->job_add(host_->self, id_, to_abi(kind), to_abi(tenant), to_abi(key), due_ms, to_abi(body));
  }
  void job_done(int64_t job, int64_t fence) { host_->store->job_done(host_->self, id_, job, fence); }
  void job_retry(int64_t job, int64_t fence, int64_t due_ms) {
    host_->store->job_retry(host_->self, id_, job, fence, due_ms);
  }
  void job_cancel(std::string_view kind, std::string_view key) {
    host_->store->job_cancel(host_->self, id_, to_abi(kind), to_abi(key));
  }
  void ack(std::string_view consumer, int64_t event_id) {
    host_->store->ack(host_->self, id_, to_abi(consumer), event_id);
  }

  // Calls f(const Commit&) on the strand once the transaction is on disk or has failed.
  template <class F>
  void commit(F f, StrandId strand = kMainStrand) && {
    struct Pending {
      const Host& host;
      F f;
    };
    host_->store->commit(
        host_->self, std::exchange(id_, 0), strand,
        [](void* user, const pb_commit* outcome) noexcept {
          std::unique_ptr<Pending> self(static_cast<Pending*>(user));
          guard_void([&] { self->f(Commit(outcome)); },
                     [&](const char* text) { self->host.log_thrown("commit", text); });
        },
        new Pending{*host_, std::move(f)});
  }

 private:
  Transaction(const Host& host, uint64_t id) : host_(&host), id_(id), owned_(false) {}
  const Host* host_;
  uint64_t id_;
  bool owned_;
  size_t execs_ = 0;
};

// A claimed job; owns its text. Complete it with job_done or job_retry in a transaction.
struct Job {
  int64_t id = 0;
  int64_t fence = 0;
  int64_t due_ms = 0;
  uint32_t tries = 0;             // claims so far, this one included: 1 the first time
  std::string tenant, key, body;  // key "": added without one
};

// Claims due jobs of one of the plugin's kinds, as long as this lives. A job that is not completed within the
// lease (a second to a day) is claimed again with one more try; after a restart at once. Destroy it on its
// strand: then the callback does not run afterwards.
class JobWorker {
 public:
  JobWorker(const Host& host, std::string_view kind, uint32_t concurrency, int64_t lease_ms,
            Function<void(Job)> f, StrandId strand = kMainStrand)
      : host_(&host), state_(new State{host, std::move(f)}) {
    id_ = host.store->job_worker(host.self, to_abi(kind), concurrency, lease_ms, strand, &JobWorker::run,
                                 state_);
  }
  JobWorker(const JobWorker&) = delete;
  JobWorker& operator=(const JobWorker&) = delete;
  ~JobWorker() {
    host_->store->job_worker_close(
        host_->self, id_, [](void* user) noexcept { delete static_cast<State*>(user); }, state_);
  }

 private:
  struct State {
    const Host& host;
    Function<void(Job)> f;
  };
  static void run(void* user, const pb_job* raw) noexcept {
    auto* state = static_cast<State*>(user);
    guard_void(
        [&] {
          state->f(Job{raw->id, raw->fence, raw->due_ms, raw->tries, std::string(from_abi(raw->tenant)),
                       std::string(from_abi(raw->key)), std::string(from_abi(raw->body))});
        },
        [&](const char* text) { state->host.log_thrown("job", text); });
  }
  const Host* host_;
  State* state_;  // owned; freed when the close is done
  uint64_t id_ = 0;
};

// A durable consumer of emitted events. Acknowledge each event in the transaction that processes it. Destroy
// it on its strand.
class Consumer {
 public:
  // Separate patterns by spaces. wake() is called on the strand at registration, and whenever there may be
  // new events.
  Consumer(const Host& host, std::string_view name, std::string_view patterns, Function<void()> wake,
           StrandId strand = kMainStrand)
      : host_(&host), strand_(strand), state_(new State{host, std::move(wake)}) {
    pb_err err = empty_error();
    id_ = host.store->consumer(host.self, to_abi(name), to_abi(patterns), strand, &Consumer::woken, state_,
                               &err);
    if (id_ == 0) host.log_fault("a consumer was refused", name, err.text);
  }
  Consumer(const Consumer&) = delete;
  Consumer& operator=(const Consumer&) = delete;
  ~Consumer() {
    host_->store->consumer_close(
        host_->self, id_, [](void* user) noexcept { delete static_cast<State*>(user); }, state_);
  }
  bool ok() const noexcept { return id_ != 0; }

  // Calls f(Result<std::vector<Event>>) on the strand; the events are borrowed for the callback.
  template <class F>
  void pending(uint32_t limit, F f) {
    struct Pending {
      const Host& host;
      F f;
    };
    host_->store->pending(
        host_->self, id_, limit, strand_,
        [](void* user, int32_t status, const pb_event* const* events, uint32_t count) noexcept {
          std::unique_ptr<Pending> self(static_cast<Pending*>(user));
          guard_void([&] { self->f(collect(status, events, count)); },
                     [&](const char* text) { self->host.log_thrown("consumer", text); });
        },
        new Pending{*host_, std::move(f)});
  }

 private:
  struct State {
    const Host& host;
    Function<void()> wake;
  };
  static Result<std::vector<Event>> collect(int32_t status, const pb_event* const* events, uint32_t count) {
    if (status != PB_OK) return read_error(status, nullptr);
    std::vector<Event> list;
    list.reserve(count);
    for (uint32_t i = 0; i < count; ++i) list.emplace_back(events[i]);
    return list;
  }
  static void woken(void* user) noexcept {
    auto* state = static_cast<State*>(user);
    guard_void([&] { state->wake(); }, [&](const char* text) { state->host.log_thrown("consumer", text); });
  }
  const Host* host_;
  StrandId strand_;
  State* state_;  // owned; freed when the close is done
  uint64_t id_ = 0;
};

// A page of a tenant's durable events; see pb_store::read_log.
struct EventLog {
  std::vector<Event> events;  // borrowed for the callback
  int64_t oldest = 0;         // above the `after` of the read: the events up to here are gone
  int64_t newest = 0;
};

// [any] Reads a tenant's durable events after the number `after`; calls f(Result<EventLog>) on the strand. To
// follow the log, read again when a Subscription gets an event with a tenant_seq() other than 0, and every
// few seconds, because another process of the same store may have emitted it.
template <class F>
void read_log(const Host& host, std::string_view tenant, int64_t after, uint32_t limit, F f,
              StrandId strand = kMainStrand) {
  struct Pending {
    const Host& host;
    F f;
  };
  if (!PB_HAS(host.store, read_log))
    return f(Result<EventLog>(Code::unsupported, "this server is too old for read_log"));
  host.store->read_log(
      host.self, to_abi(tenant), after, limit, strand,
      [](void* user, int32_t status, const pb_event* const* events, uint32_t count, int64_t oldest,
         int64_t newest, const pb_err* err) noexcept {
        std::unique_ptr<Pending> self(static_cast<Pending*>(user));
        guard_void(
            [&] {
              if (status != PB_OK) return self->f(Result<EventLog>(read_error(status, err)));
              EventLog log{{}, oldest, newest};
              log.events.reserve(count);
              for (uint32_t i = 0; i < count; ++i) log.events.emplace_back(events[i]);
              self->f(Result<EventLog>(std::move(log)));
            },
            [&](const char* text) { self->host.log_thrown("read_log", text); });
      },
      new Pending{host, std::move(f)});
}

// [any] Encrypts with the server's key file. unseal() needs the same `context`, for example a table and an
// id.
inline Result<std::string> seal(const Host& host, std::string_view plain, std::string_view context) {
  const Buffer sealed = Buffer::adopt(host.store->seal(host.self, to_abi(plain), to_abi(context)));
  if (sealed.get() == nullptr) return {Code::failed, "cannot seal"};
  return std::string(sealed.view());
}
inline Result<std::string> unseal(const Host& host, std::string_view sealed, std::string_view context) {
  const Buffer plain = Buffer::adopt(host.store->unseal(host.self, to_abi(sealed), to_abi(context)));
  if (plain.get() == nullptr)
    return {Code::denied, "cannot unseal: another key, another context, or changed bytes"};
  return std::string(plain.view());
}

}  // namespace patchbay
