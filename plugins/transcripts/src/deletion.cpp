#include "deletion.h"

#include <patchbay/strand.h>

#include "transcript_limits.h"

namespace patchbay::transcripts {
namespace {

constexpr char kFileJob[] = "remove-file";

}  // namespace

Deletion::Deletion(const Host& host, const Archive& archive)
    : host_(host),
      archive_(archive),
      log_(host),
      delete_(Statement::find(host, "delete")),
      delete_shares_(Statement::find(host, "share_delete_of")) {}

void Deletion::start() {
  worker_ = std::make_unique<JobWorker>(host_, kFileJob, kMaxFileRemovals, kFileRemovalLeaseMs,
                                        [this](const Job& job) { run(job); });
}

void Deletion::add_to(Transaction& tx, const std::string& tenant, const std::string& call_id, int64_t attempt,
                      const std::string& file, bool must_exist) const {
  tx.exec(delete_, {tenant, call_id, attempt}, must_exist ? 1 : PB_ANY_CHANGES);
  tx.exec(delete_shares_, {tenant, call_id, attempt});
  tx.job_add(kFileJob, tenant, tenant + "/" + file, host_.wall_ms(), file);
}

void Deletion::run(const Job& job) {
  auto then = alive_.bind([this, job](bool removed) { complete(job, removed); });
  const Status queued = post_worker(host_, [this, job, then] {
    const bool removed = archive_.remove(job.tenant, job.body);
    post(host_, kMainStrand, [then, removed]() mutable { then(removed); });
  });
  if (!queued) complete(job, false);
}

void Deletion::complete(const Job& job, bool removed) {
  Transaction tx(host_);
  if (removed) {
    tx.job_done(job.id, job.fence);
  } else {
    log_.error("the file of a deleted transcript cannot be removed",
               {{"tenant", job.tenant}, {"file", job.body}});
    tx.job_retry(job.id, job.fence, host_.wall_ms() + kFileRemovalRetryMs);
  }
  std::move(tx).commit([](const Commit&) {});  // a job that is not completed is claimed again
}

}  // namespace patchbay::transcripts
