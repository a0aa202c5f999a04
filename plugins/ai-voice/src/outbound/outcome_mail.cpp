#include "outbound/outcome_mail.h"

#include <utility>

#include "outbound/limits.h"

namespace patchbay::ai_voice {
namespace {

transcripts::Mail mail_of(const Call& call) {
  transcripts::Mail mail;
  mail.tenant = call.tenant;
  mail.call_id = call.call_id;
  mail.to = call.email;
  mail.phone = call.phone;
  mail.display_name = call.display_name;
  mail.outcome = call.ended_reason;
  mail.error_detail = call.error_detail;
  mail.attempts = call.attempt;
  mail.ended_ms = call.ended_ms;
  mail.duration_sec = call.duration_sec;
  mail.file = call.transcript_path;
  return mail;
}

}  // namespace

OutcomeMail::OutcomeMail(const Host& host, const CallStore& store)
    : host_(host), store_(store), log_(host), transcripts_(host) {}

void OutcomeMail::start() {
  worker_ = std::make_unique<JobWorker>(host_, CallStore::kOutcomeMailJob, kMaxOutcomeMails,
                                        kOutcomeMailLeaseMs, [this](const Job& job) { run(job); });
}

void OutcomeMail::run(const Job& job) {
  store_.get(job.tenant, job.body, kMainStrand, alive_.bind([this, job](const Result<Call>& call) {
    if (call) return hand_over(job, *call);
    if (call.error().code == Code::not_found) return complete(Transaction(host_), job);
    postpone(job, call.error());
  }));
}

void OutcomeMail::hand_over(const Job& job, const Call& call) {
  if (!transcripts_.up()) return postpone(job, {Code::unavailable, "no transcripts plugin runs"});
  const auto tx = std::make_shared<Transaction>(host_);
  transcripts::Mail mail = mail_of(call);
  mail.tx = tx->handle();
  transcripts_.call(transcripts::Transcripts::mail, mail,
                    alive_.bind([this, job, tx](const Result<Empty>& added) {
                      if (!added) return postpone(job, added.error());
                      complete(std::move(*tx), job);
                    }));
}

// A job that is not completed is claimed again.
void OutcomeMail::complete(Transaction tx, const Job& job) {
  tx.job_done(job.id, job.fence);
  std::move(tx).commit([](const Commit&) {});
}

// The plugin may be restarting. A server without it gives up after some minutes.
void OutcomeMail::postpone(const Job& job, const Error& why) {
  if (job.tries > kMaxOutcomeMailTries) {
    if (why.code != Code::unavailable)
      log_.with(job.body).error("the outcome could not be handed over for its mail", {{"why", why.text}});
    return complete(Transaction(host_), job);
  }
  Transaction tx(host_);
  tx.job_retry(job.id, job.fence, host_.wall_ms() + kOutcomeMailRetryMs);
  std::move(tx).commit([](const Commit&) {});
}

}  // namespace patchbay::ai_voice
