#include "store/reader_pool.h"

#include <chrono>
#include <new>

#include "store/limits.h"

namespace patchbay::core {

struct ReaderPool::QueryLimit {
  const ReaderPool& readers;
  Moment deadline;
};

// Progress handler: a result other than 0 interrupts the query.
int ReaderPool::is_overdue(void* raw) {
  const auto& limit = *static_cast<QueryLimit*>(raw);
  return limit.readers.interrupted_.load(std::memory_order_relaxed) ||
         std::chrono::steady_clock::now() > limit.deadline;
}

Status ReaderPool::start(const std::filesystem::path& path, const std::shared_ptr<const Clock>& clock) {
  for (int i = 0; i < options_.threads; ++i) {
    PB_TRY_VALUE(Database opened, Database::open(path, Database::Mode::read, clock));
    ++running_threads_;
    threads_.emplace_back([this, db = std::move(opened)] { work(db); });
  }
  return {};
}

void ReaderPool::post(StatementId statement, Values values, QueryDone done) {
  Task task{statement, std::move(values), std::move(done)};
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

void ReaderPool::stop(int64_t timeout_ms) {
  {
    std::unique_lock lock(mutex_);
    stopping_ = true;
    wake_.notify_all();
    if (!all_stopped_.wait_for(lock, std::chrono::milliseconds(timeout_ms),
                               [this] { return running_threads_ == 0; }))
      interrupted_ = true;
  }
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

size_t ReaderPool::queued() {
  std::lock_guard lock(mutex_);
  return queue_.size();
}

void ReaderPool::work(const Database& db) {
  StatementCache cache(db, statements_);
  QueryLimit limit{*this, {}};
  sqlite3_progress_handler(db.handle(), kStepsPerTimeoutCheck, &ReaderPool::is_overdue, &limit);
  Task task;
  while (take(task)) {
    limit.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(options_.query_timeout_ms);
    complete(task.done,
             interrupted_ ? Result<Rows>(Code::gone, "the store is closed") : answer(db, cache, task));
    task = {};
  }
  std::lock_guard lock(mutex_);
  --running_threads_;
  all_stopped_.notify_all();
}

bool ReaderPool::take(Task& task) {
  std::unique_lock lock(mutex_);
  wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
  if (queue_.empty()) return false;
  task = std::move(queue_.front());
  queue_.pop_front();
  return true;
}

Result<Rows> ReaderPool::answer(const Database& db, StatementCache& cache, const Task& task) {
  auto failed = [&](Error error) {
    const Statement* statement = statements_.get(task.statement);
    return statement ? std::move(error).within(statement->title()) : error;
  };
  try {
    auto entry = cache.get(task.statement);
    if (!entry) return failed(std::move(entry).error());
    if (!(*entry)->statement->reads) return failed({Code::misuse, "writes, so it belongs in a transaction"});
    Rows rows;
    auto seen = (*entry)->compiled.run(db, task.values, &rows, options_.max_result_bytes);
    if (!seen) return failed(std::move(seen).error());
    return rows;
  } catch (const std::bad_alloc&) {
    return failed({Code::exhausted, "out of memory"});
  }
}

void ReaderPool::complete(const QueryDone& done, Result<Rows> result) {
  ++(result ? stats_.answered : stats_.refused);
  if (!result && result.error().code == Code::timeout) ++stats_.timeouts;
  try {
    done(std::move(result));
  } catch (const std::exception& thrown) {
    if (options_.warn) options_.warn(std::string("a query's callback threw: ") + thrown.what());
  }
}

}  // namespace patchbay::core
