#include "store/reader_pool.h"

#include <new>

#include "store/limits.h"

namespace patchbay::core {

// Used by one thread at a time.
struct ReaderPool::Connection {
  Connection(std::unique_ptr<ReadConnection> opened, const StatementRegistry& statements)
      : db(std::move(opened)), cache(*db, statements) {}

  const std::unique_ptr<ReadConnection> db;
  StatementCache cache;
};

ReaderPool::ReaderPool(const StatementRegistry& statements, Options options)
    : statements_(statements), options_(std::move(options)) {}

ReaderPool::~ReaderPool() { stop(0); }

Status ReaderPool::start(Backend& backend) {
  for (int i = 0; i < options_.threads; ++i) {
    PB_TRY_VALUE(std::unique_ptr<ReadConnection> opened, backend.open_reader());
    connections_.push_back(std::make_unique<Connection>(std::move(opened), statements_));
    idle_.push_back(connections_.back().get());
  }
  running_threads_ = options_.threads;
  for (int i = 0; i < options_.threads; ++i) threads_.emplace_back([this] { work(); });
  return {};
}

void ReaderPool::post(ReadQuery query, ReadDone done) {
  Task task{std::move(query), std::move(done)};
  Status admitted = admit(task);
  if (admitted) return wake_.notify_one();
  complete(task.done, admitted.error());
}

// Queues the task or returns why it is refused.
Status ReaderPool::admit(Task& task) {
  std::lock_guard lock(mutex_);
  if (stopping_) return {Code::gone, "the store is closed"};
  if (queue_.size() >= options_.max_queued) return {Code::exhausted, "too many queries are waiting"};
  queue_.push_back(std::move(task));
  return {};
}

std::optional<Result<ReadResult>> ReaderPool::run_here(const ReadQuery& query) {
  const Statement* statement = statements_.get(query.statement);
  if (statement && statement->slow_queries->load() > 0) {
    statement->slow_queries->fetch_sub(1);
    return std::nullopt;
  }
  Connection* connection = take_idle();
  if (!connection) return std::nullopt;
  if (!connection->db->limit_to_moment(interrupted_)) {
    give_back(*connection);
    return std::nullopt;
  }
  auto result = answer(*connection, query);
  give_back(*connection);
  if (!result && result.error().code == Code::timeout) {
    statement->slow_queries->store(kSlowQueries);
    return std::nullopt;
  }
  count(result);
  return result;
}

void ReaderPool::stop(int64_t timeout_ms) {
  {
    std::unique_lock lock(mutex_);
    stopping_ = true;
    wake_.notify_all();
    const auto ended = [this] { return running_threads_ == 0 && idle_.size() == connections_.size(); };
    if (!all_stopped_.wait_for(lock, std::chrono::milliseconds(timeout_ms), ended)) interrupted_ = true;
    all_stopped_.wait(lock, ended);
  }
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

size_t ReaderPool::queued() {
  std::lock_guard lock(mutex_);
  return queue_.size();
}

void ReaderPool::work() {
  Task task;
  while (Connection* connection = take(task)) {
    connection->db->limit(options_.query_timeout_ms, interrupted_);
    auto result = interrupted_ ? Result<ReadResult>(Code::gone, "the store is closed")
                               : answer(*connection, task.query);
    give_back(*connection);
    complete(task.done, std::move(result));
    task = {};
  }
  std::lock_guard lock(mutex_);
  --running_threads_;
  all_stopped_.notify_all();
}

// Waits for a task and a connection. Null: stop.
ReaderPool::Connection* ReaderPool::take(Task& task) {
  std::unique_lock lock(mutex_);
  wake_.wait(lock, [this] { return queue_.empty() ? stopping_ : !idle_.empty(); });
  if (queue_.empty()) return nullptr;
  task = std::move(queue_.front());
  queue_.pop_front();
  Connection* connection = idle_.back();
  idle_.pop_back();
  return connection;
}

// Null unless a connection is idle that no queued query needs.
ReaderPool::Connection* ReaderPool::take_idle() {
  std::lock_guard lock(mutex_);
  if (stopping_ || !queue_.empty() || idle_.empty()) return nullptr;
  Connection* connection = idle_.back();
  idle_.pop_back();
  return connection;
}

void ReaderPool::give_back(Connection& connection) {
  std::lock_guard lock(mutex_);
  idle_.push_back(&connection);
  if (stopping_) {
    wake_.notify_all();  // also the threads that wait for a connection: the queue may be empty now
    all_stopped_.notify_all();
  } else if (!queue_.empty()) {
    wake_.notify_one();
  }
}

Result<ReadResult> ReaderPool::answer(Connection& connection, const ReadQuery& query) {
  auto failed = [&](Error error) {
    const Statement* known = statements_.get(query.statement);
    return known ? std::move(error).within(known->title()) : error;
  };
  try {
    auto result = run(connection, query);
    return result ? std::move(result) : failed(std::move(result).error());
  } catch (const std::bad_alloc&) {
    return failed({Code::exhausted, "out of memory"});
  }
}

Result<ReadResult> ReaderPool::run(Connection& connection, const ReadQuery& query) {
  PB_TRY_VALUE(StatementCache::Entry * entry, connection.cache.get(query.statement));
  if (!entry->statement->reads) return {Code::misuse, "writes, so it belongs in a transaction"};
  ReadResult result;
  SqlStatement& statement = *entry->compiled;
  const size_t max_bytes = options_.max_result_bytes;
  if (query.members) {
    PB_TRY_VALUE(result.json, statement.run_json(query.values, *query.members, max_bytes));
  } else {
    PB_TRY(statement.run(query.values, &result.rows, max_bytes));
  }
  return result;
}

void ReaderPool::count(const Result<ReadResult>& result) {
  ++(result ? stats_.answered : stats_.refused);
  if (!result && result.error().code == Code::timeout) ++stats_.timeouts;
}

void ReaderPool::complete(const ReadDone& done, Result<ReadResult> result) {
  count(result);
  try {
    done(std::move(result));
  } catch (const std::exception& thrown) {
    if (options_.warn) options_.warn(std::string("a query's callback threw: ") + thrown.what());
  }
}

}  // namespace patchbay::core
