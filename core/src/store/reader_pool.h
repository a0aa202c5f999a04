// The threads that answer queries, each with its own read-only connection.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "store/database.h"
#include "store/statement_registry.h"

namespace patchbay::core {

using QueryDone = std::function<void(Result<Rows>)>;

struct ReaderStats {
  std::atomic<uint64_t> answered{0};  // with rows
  std::atomic<uint64_t> refused{0};   // with an error
  std::atomic<uint64_t> timeouts{0};  // of the refused: interrupted after query_timeout_ms
};

class ReaderPool {
 public:
  struct Options {
    int threads = 0;
    size_t max_queued = 0;
    size_t max_result_bytes = 0;
    int64_t query_timeout_ms = 0;
    std::function<void(const std::string&)> warn;  // may be empty
  };
  // Borrows the statements.
  ReaderPool(const StatementRegistry& statements, Options options)
      : statements_(statements), options_(std::move(options)) {}
  ~ReaderPool() { stop(0); }

  // Starts the threads. The database must exist.
  Status start(const std::filesystem::path& path, const std::shared_ptr<const Clock>& clock);
  // [any] Queues a query; never blocks. `done` runs on a reader thread, or on the caller's when the query is
  // refused.
  void post(StatementId statement, Values values, QueryDone done);
  // Answers the queued queries and joins the threads. After `timeout_ms` it interrupts running queries and
  // refuses the rest.
  void stop(int64_t timeout_ms);

  size_t queued();
  const ReaderStats& stats() const { return stats_; }

 private:
  using Moment = std::chrono::steady_clock::time_point;
  struct QueryLimit;
  struct Task {
    StatementId statement;
    Values values;
    QueryDone done;
  };
  void work(const Database& db);
  Status admit(Task& task);
  bool take(Task& task);
  Result<Rows> answer(const Database& db, StatementCache& cache, const Task& task);
  void complete(const QueryDone& done, Result<Rows> result);
  static int is_overdue(void* limit);

  // borrowed
  const StatementRegistry& statements_;
  // owned
  const Options options_;
  // state; mutex_ guards all but the atomics
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Task> queue_;
  std::condition_variable all_stopped_;
  bool stopping_ = false;
  int running_threads_ = 0;
  std::atomic<bool> interrupted_{false};
  ReaderStats stats_;
  // owned
  std::vector<std::thread> threads_;  // joined by stop()
};

}  // namespace patchbay::core
