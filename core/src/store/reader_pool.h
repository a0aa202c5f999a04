// Answers queries on read-only connections: on its own threads, or, if it takes only a moment, on the
// caller's. Both share the connections.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "store/backend.h"
#include "store/json_rows.h"
#include "store/statement_registry.h"

namespace patchbay::core {

// A reading statement with its parameters. Its rows are read as they are, or as JSON.
struct ReadQuery {
  StatementId statement;
  Values values;
  std::optional<JsonMembers> members;  // of JSON; without it `rows` are read
};
struct ReadResult {
  Rows rows;
  JsonRows json;
};
using ReadDone = std::function<void(Result<ReadResult>)>;

struct ReaderStats {
  std::atomic<uint64_t> answered{0};  // with rows
  std::atomic<uint64_t> refused{0};   // with an error
  std::atomic<uint64_t> timeouts{0};  // of the refused: interrupted after query_timeout_ms
};

class ReaderPool {
 public:
  struct Options {
    int threads = 0;  // and connections
    size_t max_queued = 0;
    size_t max_result_bytes = 0;
    int64_t query_timeout_ms = 0;
    std::function<void(const std::string&)> warn;  // may be empty
  };
  // Borrows the statements.
  ReaderPool(const StatementRegistry& statements, Options options);
  ~ReaderPool();

  // Opens the connections and starts the threads. The database must exist.
  Status start(Backend& backend);
  // [any] Queues a query; never blocks. `done` runs on a reader thread, or on the caller's when the query is
  // refused.
  void post(ReadQuery query, ReadDone done);
  // [any that may block] Runs a query on the calling thread. Nothing: every connection is in use, others
  // wait, or the query took too long (kMaxDirectSteps) and was interrupted; post() it then.
  std::optional<Result<ReadResult>> run_here(const ReadQuery& query);
  // Answers the queued queries and joins the threads. After `timeout_ms` it interrupts running queries and
  // refuses the rest.
  void stop(int64_t timeout_ms);

  size_t queued();
  const ReaderStats& stats() const { return stats_; }

 private:
  struct Connection;
  struct Task {
    ReadQuery query;
    ReadDone done;
  };
  void work();
  Status admit(Task& task);
  Connection* take(Task& task);
  Connection* take_idle();
  void give_back(Connection& connection);
  Result<ReadResult> answer(Connection& connection, const ReadQuery& query);
  Result<ReadResult> run(Connection& connection, const ReadQuery& query);
  void count(const Result<ReadResult>& result);
  void complete(const ReadDone& done, Result<ReadResult> result);

  // borrowed
  const StatementRegistry& statements_;
  // owned
  const Options options_;
  std::vector<std::unique_ptr<Connection>> connections_;
  // state; mutex_ guards all but the atomics
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Task> queue_;
  std::vector<Connection*> idle_;  // the one used last is taken first, because its cache is warm
  std::condition_variable all_stopped_;
  bool stopping_ = false;
  int running_threads_ = 0;
  std::atomic<bool> interrupted_{false};
  ReaderStats stats_;
  // owned
  std::vector<std::thread> threads_;  // joined by stop()
};

}  // namespace patchbay::core
