#include "store/write_session.h"

#include "bus/topic_name.h"

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

bool wants(const Consumer& consumer, const std::string& topic) {
  for (const std::string& pattern : consumer.patterns) {
    if (matches(pattern, topic)) return true;
  }
  return false;
}

}  // namespace

WriteSession::WriteSession(Database& db, const StatementRegistry& statements, const Clock& clock,
                           WriteSessionOptions options)
    : db_(db), clock_(clock), statements_(statements), options_(std::move(options)), cache_(db, statements) {}

Status WriteSession::load() {
  PB_TRY_VALUE(begin_, PreparedStatement::prepare(db_, "BEGIN IMMEDIATE", 0));
  PB_TRY_VALUE(commit_, PreparedStatement::prepare(db_, "COMMIT", 0));
  PB_TRY_VALUE(savepoint_, PreparedStatement::prepare(db_, "SAVEPOINT pb", 0));
  PB_TRY_VALUE(release_, PreparedStatement::prepare(db_, "RELEASE pb", 0));
  PB_TRY_VALUE(undo_, PreparedStatement::prepare(db_, "ROLLBACK TO pb", 0));
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

Status WriteSession::step(PreparedStatement& statement) {
  PB_TRY(statement.run(db_, {}, nullptr, options_.max_result_bytes));
  return {};
}

void WriteSession::roll_back() {
  if (!db_.autocommit()) (void)db_.run("ROLLBACK");
  notice_ = {};
  marks_.clear();
}

Status WriteSession::overwrite_wal_tail() {
  Status done = db_.run("BEGIN IMMEDIATE; PRAGMA user_version=1; COMMIT");
  if (!db_.autocommit()) (void)db_.run("ROLLBACK");
  return done;
}

Status WriteSession::savepoint() {
  PB_TRY(step(savepoint_));
  marks_.push_back({notice_.events.size(), notice_.jobs.size()});
  return {};
}

Status WriteSession::release() {
  PB_TRY(step(release_));
  marks_.pop_back();
  return {};
}

Status WriteSession::undo_savepoint() {
  PB_TRY(step(undo_));
  PB_TRY(step(release_));
  notice_.events.resize(marks_.back().events);
  notice_.jobs.resize(marks_.back().jobs);
  marks_.pop_back();
  return {};
}

Result<int64_t> WriteSession::exec(StatementId statement, const Values& values, Rows* rows) {
  PB_TRY_VALUE(StatementCache::Entry * entry, cache_.get(statement));
  return entry->compiled.run(db_, values, rows, options_.max_result_bytes);
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

Result<int64_t> WriteSession::emit(const EmitOp& op) {
  if (!valid_topic(op.topic))
    return {Code::invalid, "topic \"" + op.topic.substr(0, 128) + "\" is not words joined by dots"};
  if (op.payload.size() > kMaxPayloadBytes)
    return {Code::invalid, "an event's payload has at most 256 KiB, but that of " + op.topic + " has " +
                               std::to_string(op.payload.size()) + " bytes"};
  Rows rows;
  PB_TRY(run("tenant-seq", {op.tenant}, &rows));
  LoggedEvent event{next_id(),  op.topic,       op.tenant, rows.integer(0, 0),
                    op.subject, op.correlation, clock_(),  op.payload};
  Value unique_key = op.unique_key.empty() ? Value() : Value(op.unique_key);
  PB_TRY(run("event-add", {event.id, event.topic, event.tenant, event.tenant_seq, event.subject,
                           event.correlation, event.ts_ms, event.payload, unique_key}));
  for (const Consumer& consumer : consumers_) {
    if (wants(consumer, op.topic)) PB_TRY(run("pending-add", {consumer.name, event.id}));
  }
  int64_t id = event.id;
  notice_.events.push_back(std::move(event));
  return id;
}

Status WriteSession::ack(const AckOp& op) {
  PB_TRY_VALUE(int64_t removed, run("pending-ack", {op.consumer, op.event}));
  if (removed == 1) return {};
  return {Code::conflict, "event " + std::to_string(op.event) + " is not pending for " + op.consumer};
}

Result<int64_t> WriteSession::add_job(const JobAddOp& op) {
  Rows rows;
  PB_TRY(run("job-add", {next_id(), op.kind, op.tenant, op.key, op.due_ms, op.body}, &rows));
  notice_.jobs.push_back({op.kind, op.due_ms});
  return rows.integer(0, 0);
}

Status WriteSession::cancel_job(const JobCancelOp& op) {
  PB_TRY(run("job-cancel", {op.kind, op.key}));
  return {};
}

Status WriteSession::finish_job(const JobDoneOp& op) {
  PB_TRY_VALUE(int64_t removed, run("job-done", {op.job, op.fence, op.kind_prefix}));
  if (removed == 1) return {};
  return {Code::fenced, "the claim on job " + std::to_string(op.job) + " is no longer valid"};
}

Status WriteSession::retry_job(const JobRetryOp& op) {
  Rows rows;
  PB_TRY(run("job-retry", {op.job, op.fence, op.due_ms, op.kind_prefix}, &rows));
  if (rows.empty())
    return {Code::fenced, "the claim on job " + std::to_string(op.job) + " is no longer valid"};
  notice_.jobs.push_back({std::string(rows.text(0, 0)), op.due_ms});
  return {};
}

// Claims fewer than `limit` when the bodies are large, because otherwise a backlog of large jobs could exceed
// the result limit and never be claimed.
Result<std::vector<Job>> WriteSession::claim_jobs(const std::string& kind, int64_t limit, int64_t lease_ms) {
  int64_t now_ms = clock_();
  int64_t lease_until_ms = now_ms + std::clamp(lease_ms, int64_t{0}, kMaxLeaseMs);
  Rows rows;
  PB_TRY(run("jobs-due", {kind, now_ms, limit}, &rows));
  std::vector<Job> jobs;
  size_t bytes = 0;
  for (size_t row = 0; row < rows.row_count() && bytes < kMaxClaimedBytes; ++row) {
    Job job{rows.integer(row, 0),
            kind,
            std::string(rows.text(row, 1)),
            std::string(rows.text(row, 2)),
            rows.integer(row, 3),
            lease_until_ms,
            rows.integer(row, 4) + 1,
            rows.integer(row, 5) + 1,
            {}};
    Rows body;
    PB_TRY(run("job-claim", {job.id, job.fence - 1, job.lease_until_ms, options_.node}, &body));
    if (body.empty()) continue;
    job.body = body.text(0, 0);
    bytes += job.body.size();
    jobs.push_back(std::move(job));
  }
  return jobs;
}

}  // namespace patchbay::core
