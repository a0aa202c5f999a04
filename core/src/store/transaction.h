// A transaction as data: operations in order, with expected row counts. The store runs it atomically on its
// own thread. As it contains no callbacks, it can be built on any thread and sent between processes.
#pragma once

#include <patchbay/result.h>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "store/sql_value.h"

namespace patchbay::core {

// Number of a registered statement, which also identifies its owner. 0 is none.
struct StatementId {
  uint32_t number = 0;
  bool operator==(const StatementId&) const = default;
};

inline constexpr int64_t kAnyChanges = -1;

struct ExecOp {
  StatementId statement;
  Values values;
  // Rows that must be changed, or returned by a reading statement; otherwise Code::conflict.
  int64_t expected = kAnyChanges;
};
struct SavepointOp {};
struct ReleaseOp {};
// Adds an event to the log. Fails with Code::conflict when the log already has its unique_key, and with
// Code::invalid for a topic that is not words joined by dots or a payload above kMaxPayloadBytes.
struct EmitOp {
  std::string topic, tenant, subject, correlation;
  std::string payload;  // JSON
  std::string unique_key;
};
// Adds a job. Replaces the job with the same kind and non-empty key: it gets the new due time and body, and a
// worker that had claimed it gets Code::fenced.
struct JobAddOp {
  std::string kind, tenant, key;
  int64_t due_ms = 0;
  std::string body;
};
// Removes a job, claimed or not; no-op when there is none.
struct JobCancelOp {
  std::string kind, key;
};
// Removes a claimed job, or gives it back with a new due time. Fails with Code::fenced when the job
// was claimed again, replaced or removed meanwhile, or when its kind does not begin with the prefix.
struct JobDoneOp {
  int64_t job = 0, fence = 0;
  std::string kind_prefix = {};
};
struct JobRetryOp {
  int64_t job = 0, fence = 0, due_ms = 0;
  std::string kind_prefix = {};
};
// Acknowledges an event. Fails with Code::conflict when it is not pending for the consumer.
struct AckOp {
  std::string consumer;
  int64_t event = 0;
};

using Op =
    std::variant<ExecOp, SavepointOp, ReleaseOp, EmitOp, JobAddOp, JobCancelOp, JobDoneOp, JobRetryOp, AckOp>;

struct Transaction {
  std::vector<Op> ops;

  // Each function returns the operation's index in CommitResult::ops.
  size_t exec(StatementId statement, Values values, int64_t expected = kAnyChanges) {
    return add(ExecOp{statement, std::move(values), expected});
  }
  // When an operation between savepoint() and its release() fails, only the operations between them are
  // rolled back, OpResult::status of the savepoint says why, and the transaction goes on after the release.
  // They nest.
  size_t savepoint() { return add(SavepointOp{}); }
  size_t release() { return add(ReleaseOp{}); }
  size_t add(Op op) {
    ops.push_back(std::move(op));
    return ops.size() - 1;
  }
};

// Approximate size in memory.
size_t byte_size(const Op& op);
size_t byte_size(const Transaction& transaction);

struct OpResult {
  bool ran = false;     // false: skipped or undone with its savepoint
  int64_t changes = 0;  // exec: rows changed, or returned by a reading statement
  int64_t id = 0;       // emit: the event's id; job_add: the job's
  Rows rows;            // exec: rows of RETURNING or SELECT
  Status status;        // savepoint: why it was rolled back
};

struct CommitResult {
  Status status;
  int failed_op = -1;            // the operation that failed the transaction, if any
  std::string failed_statement;  // "owner/name", when that operation was an exec
  std::vector<OpResult> ops;     // one per operation, when the status is ok
};

}  // namespace patchbay::core
