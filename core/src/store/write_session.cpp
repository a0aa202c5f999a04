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

void WriteSession::roll_back() {
  connection_.roll_back();
  notice_ = {};
  marks_.clear();
}

Status WriteSession::savepoint() {
  PB_TRY(connection_.savepoint());
  marks_.push_back({notice_.events.size(), notice_.jobs.size()});
  return {};
}

Status WriteSession::release() {
  PB_TRY(connection_.release());
  marks_.pop_back();
  return {};
}

Status WriteSession::undo_savepoint() {
  PB_TRY(connection_.undo_savepoint());
  notice_.events.resize(marks_.back().events);
  notice_.jobs.resize(marks_.back().jobs);
  marks_.pop_back();
  return {};
}

Result<int64_t> WriteSession::exec(StatementId statement, const Values& values, Rows* rows) {
  PB_TRY_VALUE(StatementCache::Entry * entry, cache_.get(statement));
  return entry->compiled->run(values, rows, options_.max_result_bytes);
}

Result<int64_t> WriteSession::run(const char* name, const Values& values, Rows* rows) {
  auto known = core_.find(name);
  if (known == core_.end()) {
    PB_TRY_VALUE(StatementId id, statements_.find("core", name));
    known = core_.emplace(name, id).first;
  }
  return exec(known->second, values, rows);
}

int64_t WriteSession::next_id() {
  last_id_ = std::max(last_id_ + 1, clock_() << 20);
  return last_id_;
}

}  // namespace patchbay::core
