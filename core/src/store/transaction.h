// A transaction is data: what to do, in order, and what must hold. The store runs it whole or not at all, on
// its own thread; no code of the caller runs in between, so it may be built anywhere and carried anywhere.
#pragma once

#include <patchbay/result.h>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "store/value.h"

namespace patchbay::core {

// Names a registered statement, and through it the statement's owner. 0 is none.
struct StatementId {
  uint32_t number = 0;
  bool operator==(const StatementId&) const = default;
};

inline constexpr int64_t kAnyChanges = -1;

struct ExecOp {
  StatementId statement;
  Values values;
  int64_t expected =
      kAnyChanges;  // rows changed (for a reading statement: rows returned); else Code::conflict
};
struct SavepointOp {};
struct ReleaseOp {};
// Adds to the event log. A unique_key that the log holds already is Code::conflict.
struct EmitOp {
  std::string topic, tenant, subject, correlation;
  std::string payload;  // JSON
  std::string unique_key;
};
// Adds a job. One of the same kind and (not empty) key is replaced: new due time and body, and who had
// claimed it is fenced off.
struct JobAddOp {
  std::string kind, tenant, key;
  int64_t due_ms = 0;
  std::string body;
};
// Takes an unclaimed or claimed job away, if it is there.
struct JobCancelOp {
  std::string kind, key;
};
// The end of a claimed job, or its postponement; Code::fenced when the claim is no longer ours, or the job's
// kind does not begin with the prefix.
struct JobDoneOp {
  int64_t job = 0, fence = 0;
  std::string kind_prefix = {};
};
struct JobRetryOp {
  int64_t job = 0, fence = 0, due_ms = 0;
  std::string kind_prefix = {};
};
// The consumer has dealt with the event; Code::conflict when it had done so before.
struct AckOp {
  std::string consumer;
  int64_t event = 0;
};

using Op =
    std::variant<ExecOp, SavepointOp, ReleaseOp, EmitOp, JobAddOp, JobCancelOp, JobDoneOp, JobRetryOp, AckOp>;

struct Transaction {
  std::vector<Op> ops;

  // Each returns the operation's index, under which CommitResult::ops tells what became of it.
  size_t exec(StatementId statement, Values values, int64_t expected = kAnyChanges) {
    return add(ExecOp{statement, std::move(values), expected});
  }
  // What stands between savepoint() and its release() may fail alone: it is undone, the result says so, and
  // the transaction goes on behind the release. They nest.
  size_t savepoint() { return add(SavepointOp{}); }
  size_t release() { return add(ReleaseOp{}); }
  size_t add(Op op) {
    ops.push_back(std::move(op));
    return ops.size() - 1;
  }
};

// What it takes in memory, about.
size_t byte_size(const Op& op);
size_t byte_size(const Transaction& transaction);

// A transaction that plugins build may not become larger: the host refuses to add to it.
inline constexpr size_t kMaxTransactionBytes = size_t{32} << 20;

struct OpResult {
  bool ran = false;     // false: skipped or undone with its savepoint
  int64_t changes = 0;  // exec: rows changed, or returned by a reading statement
  int64_t id = 0;       // emit: the event's id; job_add: the job's
  Rows rows;            // exec: what RETURNING or SELECT gave
  Status status;        // savepoint: why it was undone
};

struct CommitResult {
  Status status;
  int failed_op = -1;            // the operation that ended the transaction, when one did
  std::string failed_statement;  // "owner/name", when that operation was an exec
  std::vector<OpResult> ops;     // as many as operations, when the status is ok
};

}  // namespace patchbay::core
