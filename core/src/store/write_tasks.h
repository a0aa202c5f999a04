// The tasks that the store posts to its writer.
#pragma once

#include "store/run_transaction.h"
#include "store/writer.h"

namespace patchbay::core {

// Runs a transaction of the store's user.
class CommitTask final : public WriteTask {
 public:
  CommitTask(const StatementRegistry& statements, Transaction transaction,
             std::function<void(CommitResult)> done)
      : statements_(statements),
        transaction_(std::move(transaction)),
        bytes_(byte_size(transaction_)),
        done_(std::move(done)) {}

  Status run(WriteSession& session) override {
    result_ = run_transaction(session, statements_, transaction_);
    return result_.status;
  }
  void complete(const Status& status) override {
    if (!status && result_.status) result_ = CommitResult{status, -1, {}, {}};
    done_(std::move(result_));
  }
  size_t bytes() const override { return bytes_; }
  // Raises the versions of the owners, so that results that were kept before are not used any more: before
  // any `done` of the group, because queries see the whole group.
  void committed() override {
    for (const Op& op : transaction_.ops) {
      const auto* exec = std::get_if<ExecOp>(&op);
      const Statement* statement = exec ? statements_.get(exec->statement) : nullptr;
      if (statement && !statement->reads) statement->version->fetch_add(1);
    }
  }

 private:
  const StatementRegistry& statements_;
  Transaction transaction_;
  const size_t bytes_;
  std::function<void(CommitResult)> done_;
  CommitResult result_;
};

// Runs a function on the session; `done` gets its T.
template <class T>
class FunctionTask final : public WriteTask {
 public:
  using Function = std::function<Result<T>(WriteSession&)>;
  FunctionTask(Function function, std::function<void(Result<T>)> done, Kind kind = Kind::grouped)
      : function_(std::move(function)), done_(std::move(done)), kind_(kind) {}

  Status run(WriteSession& session) override {
    result_ = function_(session);
    if (!result_) return result_.error();
    return {};
  }
  void complete(const Status& status) override {
    if (!status) return done_(status.error());
    done_(std::move(result_));
  }
  Kind kind() const override { return kind_; }

 private:
  Function function_;
  std::function<void(Result<T>)> done_;
  const Kind kind_;
  Result<T> result_ = Error{Code::failed, "did not run"};
};

}  // namespace patchbay::core
