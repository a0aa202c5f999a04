#include "store/write_session.h"

#include <algorithm>

namespace patchbay::core {
namespace {

std::vector<std::string> split_patterns(std::string_view text) {
  std::vector<std::string> patterns;
  while (!text.empty()) {
    size_t end = text.find(' ');
    patterns.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return patterns;
}

}  // namespace

WriteSession::WriteSession(WriteConnection& connection, const StatementRegistry& statements,
                           const Clock& clock, WriteSessionOptions options)
    : connection_(connection),
      clock_(clock),
      statements_(statements),
      options_(std::move(options)),
      cache_(connection, statements) {}

Status WriteSession::load() {
  Rows rows;
  PB_TRY(run("last-id", {}, &rows));
  last_id_ = rows.integer(0, 0);
  return load_consumers();
}

Status WriteSession::load_consumers() {
  Rows rows;
  PB_TRY(run("consumers", {}, &rows));
  consumers_.clear();
  for (size_t row = 0; row < rows.row_count(); ++row) {
    if (rows.integer(row, 4) != 0) continue;  // forgotten
    consumers_.push_back({std::string(rows.text(row, 0)), split_patterns(rows.text(row, 1))});
  }
  return {};
}

Status WriteSession::begin() {
  PB_TRY(connection_.begin());
  return connection_.is_shared() ? take_turn() : Status();
}

// Waits for the transactions of other processes, and continues after their ids.
Status WriteSession::take_turn() {
  Rows rows;
  if (auto turn = run("writer-turn", {}, &rows); !turn) {
    if (turn.error().code != Code::timeout) return std::move(turn).error();
    return {Code::unavailable, "another process on this database holds up all commits"};
  }
  if (rows.empty()) return {Code::failed, "the table core_writer has no row"};
  shared_last_id_ = rows.integer(0, 0);
  last_id_ = std::max(last_id_, shared_last_id_);
  if (rows.integer(0, 1) == consumers_rev_) return {};
  PB_TRY(load_consumers());
  consumers_rev_ = rows.integer(0, 1);
  return {};
}

Status WriteSession::commit() {
  if (connection_.is_shared() && last_id_ != shared_last_id_) PB_TRY(run_later("writer-done", {last_id_}));
  return connection_.commit();
}

// In the transaction that changes a consumer.
Status WriteSession::consumers_changed() {
  return connection_.is_shared() ? run_later("consumers-changed", {}) : Status();
}

void WriteSession::roll_back() {
  connection_.roll_back();
  notice_ = {};
  marks_.clear();
}

Status WriteSession::savepoint() {
  PB_TRY(connection_.savepoint());
  marks_.push_back({notice_.events.size(), notice_.jobs.size(), notice_.changed.size()});
  return {};
}

Status WriteSession::release() {
  PB_TRY(connection_.release());
  marks_.pop_back();
  return {};
}

Status WriteSession::undo_savepoints(size_t count) {
  while (marks_.size() > count) PB_TRY(undo_savepoint());
  return {};
}

Status WriteSession::undo_savepoint() {
  PB_TRY(connection_.undo_savepoint());
  notice_.events.resize(marks_.back().events);
  notice_.jobs.resize(marks_.back().jobs);
  notice_.changed.resize(marks_.back().changed);
  marks_.pop_back();
  return {};
}

Result<int64_t> WriteSession::exec(StatementId statement, const Values& values, Rows* rows) {
  PB_TRY_VALUE(StatementCache::Entry * entry, cache_.get(statement));
  PB_TRY_VALUE(const int64_t changes, entry->compiled->run(values, rows, options_.max_result_bytes));
  if (entry->statement->notifies && changes > 0) notice_.changed.push_back(entry->statement->owner);
  return changes;
}

Result<StatementId> WriteSession::core_statement(const char* name) {
  const auto known = core_.find(name);
  if (known != core_.end()) return known->second;
  PB_TRY_VALUE(StatementId id, statements_.find("core", name));
  return core_.emplace(name, id).first->second;
}

Result<int64_t> WriteSession::run(const char* name, const Values& values, Rows* rows) {
  PB_TRY_VALUE(const StatementId id, core_statement(name));
  return exec(id, values, rows);
}

Status WriteSession::run_later(const char* name, const Values& values) {
  PB_TRY_VALUE(const StatementId id, core_statement(name));
  PB_TRY_VALUE(StatementCache::Entry * entry, cache_.get(id));
  return entry->compiled->run_later(values);
}

int64_t WriteSession::next_id() {
  last_id_ = std::max(last_id_ + 1, clock_() << 20);
  return last_id_;
}

}  // namespace patchbay::core
