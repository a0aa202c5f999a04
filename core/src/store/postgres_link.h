// A connection to a PostgreSQL server in pipeline mode: commands are sent at once and their results awaited
// together. Every wait is limited, and a connection that was lost is made again. Used by one thread at a
// time.
#pragma once

#include <patchbay/result.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "store/postgres_functions.h"
#include "store/sql_value.h"

namespace patchbay::core {

using PostgresResult = std::unique_ptr<PGresult, PostgresResultDeleter>;

class PostgresLink {
 public:
  using Moment = std::chrono::steady_clock::time_point;
  struct Options {
    std::string conninfo;              // connection string or URL
    std::string password;              // empty: the connection string's
    bool reads = false;                // refuses writes
    bool scratch = false;              // no commit waits for the disk
    int64_t statement_timeout_ms = 0;  // the server's own limit, in case this process hangs
    int64_t lock_timeout_ms = 0;
  };
  PostgresLink(const PostgresFunctions& pq, Options options);
  ~PostgresLink();
  PostgresLink(const PostgresLink&) = delete;
  PostgresLink& operator=(const PostgresLink&) = delete;

  // Checks a connection string without connecting; the error does not repeat it.
  static Status check(const PostgresFunctions& pq, const std::string& conninfo);

  // No-op while connected. Blocks for a few seconds at most. After a failure it fails at once for a while,
  // at most kPostgresMaxRetryMs, so that the store's queues are not held up.
  Status connect();
  bool connected() const noexcept { return connection_ != nullptr; }
  void disconnect();
  // Grows with each connection: statements that were prepared before are gone.
  uint64_t generation() const noexcept { return generation_; }

  // Send a command; nothing waits. `types` may be empty: the server infers them.
  Status send(const char* sql);
  Status send(const char* sql, const Values& values);
  Status send_prepare(const std::string& name, const std::string& sql, const std::vector<Oid>& types);
  Status send_describe(const std::string& name);
  Status send_run(const std::string& name, const Values& values);
  // The number of the commands sent since the last wait(), and whether one of them that prepared a statement
  // may not have run, because an earlier one failed.
  uint64_t batch() const noexcept { return batch_; }
  bool lost_batch(uint64_t batch) const { return lost_batches_.count(batch) != 0; }
  // Waits for the results of all commands sent. Returns the last one's; when one fails, its error. `each` may
  // be empty; it sees every result.
  Result<PostgresResult> wait(const std::function<void(const PGresult*)>& each = {});
  // The payloads of the notifications that have arrived on channels to which this connection listens. Waits
  // for none.
  Result<std::vector<std::string>> take_notifications();
  // To poll for them; -1 while not connected.
  int socket() const { return connection_ == nullptr ? -1 : pq_.socket(connection_); }
  // Whether the error of the last wait() was that of the last command sent.
  bool last_failed() const noexcept { return last_failed_; }
  // Whether the same transaction may succeed later: a deadlock, a serialisation failure, or a lost
  // connection.
  bool may_pass() const noexcept { return may_pass_; }
  // Of the last error; "" for none.
  const std::string& sql_state() const noexcept { return sql_state_; }

  // Commands are cancelled after this moment and fail with Code::timeout. Without one a wait takes
  // kPostgresPatienceMs at most.
  void set_deadline(Moment deadline) { deadline_ = deadline; }
  void clear_deadline() { deadline_ = Moment::max(); }
  // Cancels commands while it is true. Null: none.
  void set_interrupt(const std::atomic<bool>* interrupted) { interrupted_ = interrupted; }
  bool timed_out() const noexcept { return timed_out_; }
  void forget_timeout() { timed_out_ = false; }

  const PostgresFunctions& functions() const noexcept { return pq_; }

 private:
  enum class Waited { ready, lost };
  Status open();
  Status set_up();
  Status sent(int result);
  Error lost(const std::string& why);
  Waited wait_for_input(Moment limit);
  void cancel_running();
  bool end_cancel();
  Error error_of(const PGresult* result);

  // borrowed
  const PostgresFunctions& pq_;
  // owned
  const Options options_;
  PGconn* connection_ = nullptr;
  // state
  uint64_t generation_ = 0;
  size_t waiting_ = 0;  // commands sent since the last wait
  uint64_t batch_ = 0;
  bool batch_prepares_ = false;
  std::set<uint64_t> lost_batches_;  // of this connection
  Moment deadline_ = Moment::max();
  const std::atomic<bool>* interrupted_ = nullptr;  // borrowed
  bool cancel_sent_ = false;
  Moment cancelled_at_{};
  std::future<void> cancelled_;  // ready when the server has got the request to cancel
  bool timed_out_ = false;
  bool last_failed_ = false;
  bool may_pass_ = false;
  std::string sql_state_;
  Moment retry_at_{};
  int64_t retry_ms_ = 0;
  std::string why_away_;
};

// The cells of a result's row, for JsonMembers::append_row.
class PostgresColumns {
 public:
  PostgresColumns(const PostgresFunctions& pq, const PGresult* result) : pq_(pq), result_(result) {}
  void go_to(int row) { row_ = row; }
  ValueType type(int column) const;
  int64_t integer(int column) const;
  double real(int column) const;
  std::string_view data(int column) const;

 private:
  std::string_view raw(int column) const;

  const PostgresFunctions& pq_;
  const PGresult* const result_;
  int row_ = 0;
  mutable std::string bytes_;  // of the last data() of a column of bytes
};

}  // namespace patchbay::core
