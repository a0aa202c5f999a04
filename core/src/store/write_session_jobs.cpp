// WriteSession's jobs: adds, claims, completes, retries and cancels them.
#include <algorithm>

#include "store/limits.h"
#include "store/write_session.h"

namespace patchbay::core {

Result<int64_t> WriteSession::add_job(const JobAddOp& op) {
  Rows same_key;
  if (!op.key.empty()) PB_TRY(run("job-find", {op.kind, op.key}, &same_key));
  const int64_t id = same_key.empty() ? next_id() : same_key.integer(0, 0);
  PB_TRY(run("job-add", {id, op.kind, op.tenant, op.key, op.due_ms, op.body}));
  notice_.jobs.push_back({op.kind, op.due_ms});
  return id;
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
    PB_TRY(run("job-claim", {job.id, job.fence - 1, job.lease_until_ms, options_.node, epoch_}, &body));
    if (body.empty()) continue;
    job.body = body.text(0, 0);
    bytes += job.body.size();
    jobs.push_back(std::move(job));
  }
  return jobs;
}

}  // namespace patchbay::core
