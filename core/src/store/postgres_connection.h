// PostgreSQL's connections: readers, and the writer, whose commits are certain although the server is away.
#pragma once

#include <memory>
#include <string>

#include "store/postgres_link.h"
#include "store/sql_connection.h"
#include "store/statement_registry.h"
#include "store/store_clock.h"

namespace patchbay::core {

// A prepared statement, which prepares itself again on a new connection.
class PostgresStatement final : public SqlStatement {
 public:
  // Borrows the link and the clock. `in_transaction`, if given: whether the link's user has begun one, which
  // makes a second run on a new connection wrong.
  PostgresStatement(PostgresLink& link, const Clock& clock, const Statement& statement,
                    const bool* in_transaction);

  Result<int64_t> run(const Values& values, Rows* rows, size_t max_bytes) override;
  Result<JsonRows> run_json(const Values& values, const JsonMembers& members, size_t max_bytes) override;
  Status run_later(const Values& values) override;

 private:
  Status send(const Values& values);
  Result<PostgresResult> ask(const Values& values);

  // borrowed
  PostgresLink& link_;
  const Clock& clock_;
  const bool* const in_transaction_;
  // state
  const std::string sql_;
  const std::vector<Oid> types_;
  const int parameters_;
  const bool takes_clock_;
  const bool reads_;
  std::string name_;
  uint64_t prepared_on_ = 0;  // generation of the link
  uint64_t prepared_in_ = 0;  // batch of the link
};

class PostgresReader final : public ReadConnection {
 public:
  PostgresReader(const PostgresFunctions& pq, PostgresLink::Options options,
                 std::shared_ptr<const Clock> clock)
      : clock_(std::move(clock)), link_(pq, std::move(options)) {}

  Result<std::unique_ptr<SqlStatement>> prepare(const Statement& statement) override;
  void limit(int64_t time_ms, const std::atomic<bool>& interrupted) override;
  // The server may be far away, so no caller waits for it.
  bool limit_to_moment(const std::atomic<bool>&) override { return false; }
  PostgresLink& link() { return link_; }

 private:
  const std::shared_ptr<const Clock> clock_;  // shared with the store
  PostgresLink link_;
};

class PostgresWriter final : public WriteConnection {
 public:
  PostgresWriter(const PostgresFunctions& pq, PostgresLink::Options options,
                 std::shared_ptr<const Clock> clock);

  Result<std::unique_ptr<SqlStatement>> prepare(const Statement& statement) override;
  Status begin() override;
  Status commit() override;
  Status settle(Error why) override;
  void roll_back() override;
  Status savepoint() override { return link_.send("SAVEPOINT pb"); }
  Status release() override { return link_.send("RELEASE pb"); }
  Status undo_savepoint() override;
  bool in_transaction() const override;
  bool may_run_again() const override { return may_run_again_; }
  bool is_shared() const override { return true; }

  void begin_task(int64_t budget_ms) override;
  void end_task() override { link_.clear_deadline(); }
  bool expired() const override { return link_.timed_out(); }
  void cancel() noexcept override { cancelled_.store(true, std::memory_order_relaxed); }
  bool cancelled() const noexcept override { return cancelled_.load(std::memory_order_relaxed); }

  PostgresLink& link() { return link_; }
  // From now on each transaction writes its number to the row of this node.
  void set_node(const std::string& name, int64_t epoch);

 private:
  Status start_transaction();
  Result<bool> did_commit();
  bool is_broken() const;

  // owned; the clock is shared with the store
  const std::shared_ptr<const Clock> clock_;
  PostgresLink link_;
  // state
  std::atomic<bool> cancelled_{false};
  bool open_ = false;       // a transaction was begun
  bool uncertain_ = false;  // the connection was lost while the server committed
  bool may_run_again_ = false;
  std::string node_;  // empty: not known yet
  int64_t epoch_ = 0;
  int64_t number_ = 0;  // of the transaction
  std::unique_ptr<PostgresStatement> put_number_;
};

}  // namespace patchbay::core
