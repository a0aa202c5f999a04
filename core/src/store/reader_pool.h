// The threads that answer queries, each with a read-only connection of its own.
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
  std::atomic<uint64_t> answered{0}, refused{0};  // with rows; with an error
  std::atomic<uint64_t> timeouts{0};              // of those refused: ended because they took too long
};

class ReaderPool {
 public:
  struct Options {
    int threads = 2;
    size_t max_queued = 65536;
    size_t max_result_bytes = 0;
    int64_t query_timeout_ms = 0;
    std::function<void(const std::string&)> warn;  // may be empty
  };
  // Borrows the statements.
  ReaderPool(const StatementRegistry& statements, Options options)
      : statements_(statements), options_(std::move(options)) {}
  ~ReaderPool() { stop(0); }

  // The database must exist.
  Status start(const std::filesystem::path& path, const std::shared_ptr<const Clock>& clock);
  // Any thread, never blocks; `done` runs on a reader's thread, or here when refused.
  void post(StatementId statement, Values values, QueryDone done);
  // Answers what is queued, then ends. After `timeout_ms` it ends the queries that run and refuses the rest.
  void stop(int64_t timeout_ms);

  size_t queued();
  const ReaderStats& stats() const { return stats_; }

 private:
  using Moment = std::chrono::steady_clock::time_point;
  struct Limit;
  struct Task {
    StatementId statement;
    Values values;
    QueryDone done;
  };
  void work(const Database& db);
  Status admit(Task& task);
  bool take(Task& task);
  Result<Rows> answer(const Database& db, StatementCache& cache, const Task& task);
  void finish(const QueryDone& done, Result<Rows> result);
  static int is_overdue(void* limit);

  const StatementRegistry& statements_;
  const Options options_;

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Task> queue_;
  std::condition_variable ended_;
  bool stopping_ = false;
  int working_ = 0;
  std::atomic<bool> given_up_{false};
  ReaderStats stats_;
  std::vector<std::thread> threads_;
};

}  // namespace patchbay::core
