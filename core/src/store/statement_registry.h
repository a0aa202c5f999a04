// All registered statements, by number. Any thread may use it; entries are never moved or removed.
#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/sql_connection.h"
#include "store/transaction.h"

namespace patchbay::core {

struct Statement {
  std::string owner, name;
  std::string sql;  // in the database's dialect
  int parameters = 0;
  bool reads = false;
  bool deterministic = false;  // the result depends only on parameters and tables, so that it may be kept
  // Raised by every commit that may have changed a table of the owner; no other statement may touch these.
  std::atomic<uint64_t>* version = nullptr;
  // How many queries go to the reader threads at once, because one took too long on its caller's thread.
  // Shared by the copies of a statement that the registry moves.
  std::shared_ptr<std::atomic<int>> slow_queries = std::make_shared<std::atomic<int>>(0);

  // For PostgreSQL: the types of its parameters, and whether a last one is the store's clock.
  std::vector<unsigned> types = {};
  bool takes_clock = false;
  // For PostgreSQL: other processes get a hint after a commit in which it changed rows.
  bool notifies = false;

  std::string title() const { return owner + "/" + name; }
};

class StatementRegistry {
 public:
  // Sets their versions and raises them, because a migration may have changed the tables. All are of one
  // owner.
  void add(std::vector<Statement> statements);
  Result<StatementId> find(std::string_view owner, std::string_view name) const;
  // Returns null for an unknown number.
  const Statement* get(StatementId id) const;

 private:
  mutable std::mutex mutex_;
  std::deque<Statement> all_;                              // number - 1
  std::map<std::string, std::atomic<uint64_t>> versions_;  // by owner
  std::map<std::pair<std::string, std::string>, StatementId> by_name_;
};

// The statements that one connection has prepared so far. Use on the connection's thread.
class StatementCache {
 public:
  StatementCache(SqlConnection& connection, const StatementRegistry& statements)
      : connection_(connection), statements_(statements) {}

  struct Entry {
    const Statement* statement = nullptr;
    std::unique_ptr<SqlStatement> compiled;
  };
  Result<Entry*> get(StatementId id);

 private:
  SqlConnection& connection_;
  const StatementRegistry& statements_;
  std::deque<Entry> entries_;
};

}  // namespace patchbay::core
