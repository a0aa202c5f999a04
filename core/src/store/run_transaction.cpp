#include "store/run_transaction.h"

namespace patchbay::core {
namespace {

// Runs one operation. The caller keeps track of savepoints.
struct RunOp {
  WriteSession& session;
  OpResult& result;

  Status operator()(const ExecOp& op) {
    PB_TRY_VALUE(result.changes, session.exec(op.statement, op.values, &result.rows));
    if (op.expected == kAnyChanges || op.expected == result.changes) return {};
    return {Code::conflict,
            "expected " + std::to_string(op.expected) + " rows, found " + std::to_string(result.changes)};
  }
  Status operator()(const EmitOp& op) { return take_id(session.emit(op)); }
  Status operator()(const JobAddOp& op) { return take_id(session.add_job(op)); }
  Status operator()(const JobCancelOp& op) { return session.cancel_job(op); }
  Status operator()(const JobDoneOp& op) { return session.finish_job(op); }
  Status operator()(const JobRetryOp& op) { return session.retry_job(op); }
  Status operator()(const AckOp& op) { return session.ack(op); }
  Status operator()(const SavepointOp&) { return session.savepoint(); }
  Status operator()(const ReleaseOp&) { return session.release(); }

  Status take_id(Result<int64_t> id) {
    if (!id) return std::move(id).error();
    result.id = *id;
    return {};
  }
};

// True for errors that the data can cause, which undo only the innermost savepoint. A disk error or misuse
// fails the whole transaction.
bool may_fail_alone(Code code) {
  return code == Code::conflict || code == Code::fenced || code == Code::invalid || code == Code::not_found;
}

class Runner {
 public:
  Runner(WriteSession& session, const StatementRegistry& statements, const Transaction& transaction)
      : session_(session), statements_(statements), ops_(transaction.ops) {
    result_.ops.resize(ops_.size());
  }

  CommitResult run() {
    for (size_t index = 0; index < ops_.size(); ++index) {
      Status status = std::visit(RunOp{session_, result_.ops[index]}, ops_[index]);
      if (status) {
        note_success(index);
        continue;
      }
      if (open_.empty() || session_.rolled_back() || !may_fail_alone(status.error().code))
        return fail(index, std::move(status).error());
      if (auto undone = undo(index, std::move(status).error()); !undone)
        return fail(index, std::move(undone).error());
    }
    return std::move(result_);
  }

 private:
  void note_success(size_t index) {
    result_.ops[index].ran = true;
    if (std::holds_alternative<SavepointOp>(ops_[index])) open_.push_back(index);
    if (std::holds_alternative<ReleaseOp>(ops_[index])) open_.pop_back();
  }

  // Rolls back the innermost savepoint and moves `index` to its release.
  Status undo(size_t& index, Error why) {
    size_t savepoint = open_.back();
    open_.pop_back();
    PB_TRY(session_.undo_savepoint());
    size_t release = savepoint;
    for (int depth = 0;; ++release) {
      if (std::holds_alternative<SavepointOp>(ops_[release])) ++depth;
      if (std::holds_alternative<ReleaseOp>(ops_[release]) && --depth == 0) break;
      if (release != savepoint) result_.ops[release] = {};
    }
    result_.ops[savepoint].ran = false;
    result_.ops[savepoint].status = std::move(why).within(title(index));
    index = release;
    return {};
  }

  CommitResult fail(size_t index, Error why) {
    CommitResult failed;
    failed.failed_op = static_cast<int>(index);
    if (const auto* exec = std::get_if<ExecOp>(&ops_[index])) {
      if (const Statement* statement = statements_.get(exec->statement))
        failed.failed_statement = statement->title();
    }
    failed.status = std::move(why).within(title(index));
    return failed;
  }

  std::string title(size_t index) const {
    std::string title = "operation " + std::to_string(index);
    if (const auto* exec = std::get_if<ExecOp>(&ops_[index])) {
      const Statement* statement = statements_.get(exec->statement);
      return title + " (" + (statement ? statement->title() : "no statement") + ")";
    }
    static constexpr const char* kNames[] = {"exec",       "savepoint", "release",   "emit", "job_add",
                                             "job_cancel", "job_done",  "job_retry", "ack"};
    return title + " (" + kNames[ops_[index].index()] + ")";
  }

  WriteSession& session_;
  const StatementRegistry& statements_;
  const std::vector<Op>& ops_;
  CommitResult result_;
  std::vector<size_t> open_;  // indexes of open savepoints
};

}  // namespace

Status check_shape(const Transaction& transaction) {
  int depth = 0;
  for (const Op& op : transaction.ops) {
    if (std::holds_alternative<SavepointOp>(op)) ++depth;
    if (std::holds_alternative<ReleaseOp>(op) && --depth < 0)
      return {Code::misuse, "a release without its savepoint"};
  }
  if (depth > 0) return {Code::misuse, "a savepoint without its release"};
  return {};
}

CommitResult run_transaction(WriteSession& session, const StatementRegistry& statements,
                             const Transaction& transaction) {
  return Runner(session, statements, transaction).run();
}

}  // namespace patchbay::core
