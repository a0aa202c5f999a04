#include "abi/open_transaction.h"

#include <patchbay/abi/base.h>

#include <utility>

#include "store/limits.h"

namespace patchbay::core {

int32_t OpenTransaction::add(Op op) {
  const size_t bytes = byte_size(op);
  const std::lock_guard lock(mutex_);
  if (ended_) return PB_E_GONE;
  if (!built_.status) return static_cast<int32_t>(built_.status.error().code);
  if (bytes_ + bytes > kMaxTransactionBytes)
    return refuse_locked({Code::exhausted, "a transaction holds 32 MiB at most; commit in parts"});
  bytes_ += bytes;
  const bool exec = std::holds_alternative<ExecOp>(op), savepoint = std::holds_alternative<SavepointOp>(op);
  const size_t index = built_.data.add(std::move(op));
  if (exec) built_.execs.push_back(index);
  if (savepoint) built_.savepoints.push_back(index);
  return PB_OK;
}

int32_t OpenTransaction::refuse(Error why) {
  const std::lock_guard lock(mutex_);
  return ended_ ? PB_E_GONE : refuse_locked(std::move(why));
}

// Keeps the first reason, and frees what was built.
int32_t OpenTransaction::refuse_locked(Error why) {
  const auto code = static_cast<int32_t>(why.code);
  if (built_.status) built_.status = std::move(why);
  built_.data = {};
  return code;
}

std::optional<OpenTransaction::Built> OpenTransaction::take() {
  const std::lock_guard lock(mutex_);
  if (std::exchange(ended_, true)) return std::nullopt;
  return std::move(built_);
}

}  // namespace patchbay::core
