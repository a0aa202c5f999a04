#include "store/readers.h"

#include <chrono>
#include <new>

namespace patchbay::core {
namespace {

using Moment = std::chrono::steady_clock::time_point;

// SQLite asks now and then whether to go on.
int is_overdue(void* deadline) { return std::chrono::steady_clock::now() > *static_cast<Moment*>(deadline); }

}  // namespace

Status Readers::start(const std::filesystem::path& path, const std::shared_ptr<const Clock>& clock) {
  for (int i = 0; i < options_.threads; ++i) {
    PB_TRY_VALUE(Database opened, Database::open(path, Database::Mode::read, clock));
    threads_.emplace_back([this, db = std::move(opened)] { work(db); });
  }
  return {};
}

void Readers::post(StatementId statement, Values values, QueryDone done) {
  Task task{statement, std::move(values), std::move(done)};
  Status admitted = admit(task);
  if (admitted) return wake_.notify_one();
  finish(task.done, admitted.error());
}

// Takes the task, or says why not.
Status Readers::admit(Task& task) {
  std::lock_guard lock(mutex_);
  if (stopping_) return {Code::gone, "the store is closed"};
  if (queue_.size() >= options_.max_queued) return {Code::exhausted, "too many queries are waiting"};
  queue_.push_back(std::move(task));
  return {};
}

void Readers::stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void Readers::work(const Database& db) {
  CompiledCache cache(db, statements_);
  Moment deadline;
  sqlite3_progress_handler(db.handle(), 10'000, is_overdue, &deadline);
  Task task;
  while (take(task)) {
    deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(options_.query_timeout_ms);
    finish(task.done, answer(db, cache, task));
    task = {};
  }
}

bool Readers::take(Task& task) {
  std::unique_lock lock(mutex_);
  wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
  if (queue_.empty()) return false;
  task = std::move(queue_.front());
  queue_.pop_front();
  return true;
}

Result<Rows> Readers::answer(const Database& db, CompiledCache& cache, const Task& task) {
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

void Readers::finish(const QueryDone& done, Result<Rows> result) {
  try {
    done(std::move(result));
  } catch (const std::exception& thrown) {
    if (options_.warn) options_.warn(std::string("a query's callback threw: ") + thrown.what());
  }
}

}  // namespace patchbay::core
