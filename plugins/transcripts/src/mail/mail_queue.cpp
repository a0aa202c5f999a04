#include "mail/mail_queue.h"

#include <utility>

#include "file_name.h"
#include "mail/mail_address.h"
#include "mail/mail_schedule.h"
#include "transcript_limits.h"

namespace patchbay::transcripts {
namespace {

constexpr char kWaiting[] = "waiting", kSent[] = "sent", kRefused[] = "refused", kGivenUp[] = "given-up";

Metric mails(const Host& host, const char* result) {
  return Metric::counter(host, "patchbay_transcripts_mails_total",
                         "Outcome mails by the result of an attempt", {{"result", result}});
}

std::string job_kind(std::string_view tenant) { return "mail/" + std::string(tenant); }

std::string job_key(std::string_view tenant, std::string_view call_id) {
  return std::string(tenant).append("/").append(call_id);
}

// A row of the statement mail_get, without tenant and call_id.
OutcomeMail read_mail(const Rows& rows) {
  OutcomeMail mail;
  mail.recipient = rows.text(0, 2);
  mail.phone = rows.text(0, 3);
  mail.display_name = rows.text(0, 4);
  mail.outcome = rows.text(0, 5);
  mail.error_detail = rows.text(0, 6);
  mail.attempts = rows.integer(0, 7);
  mail.ended_ms = rows.integer(0, 8);
  mail.duration_sec = rows.integer(0, 9);
  mail.file = rows.text(0, 10);
  mail.created_ms = rows.integer(0, 11);
  return mail;
}

}  // namespace

MailQueue::MailQueue(const Host& host, const Archive& archive)
    : host_(host),
      archive_(archive),
      log_(host),
      insert_(Statement::find(host, "mail_insert")),
      get_(Statement::find(host, "mail_get")),
      result_(Statement::find(host, "mail_result")),
      tenants_(Statement::find(host, "mail_tenants")),
      sent_(mails(host, "sent")),
      refused_(mails(host, "refused")),
      retried_(mails(host, "retried")),
      given_up_(mails(host, "given-up")),
      sender_(std::make_unique<SmtpSender>(kMailTimeoutMs)),
      store_timer_(host),
      tenants_timer_(host) {}

void MailQueue::add_to(Provision<Transcripts>& provision) {
  provision.on(Transcripts::mail, [this](const Mail& request) { return add(request); });
}

void MailQueue::start() { read_tenants(); }

// Of the last run, and of other servers on the database that have died.
void MailQueue::read_tenants() {
  if (draining_) return;
  tenants_timer_.after_ms(kMailTenantsIntervalMs, [this] { read_tenants(); });
  query(host_, tenants_, {}, alive_.bind([this](const Result<Rows>& rows) {
    if (!rows) return log_.warn("mails that wait cannot be read", {{"why", rows.error().text}});
    for (size_t row = 0; row < rows->size(); ++row) add_worker(std::string(rows->text(row, 0)));
  }));
}

void MailQueue::add_worker(const std::string& tenant) {
  if (draining_ || workers_.count(tenant) != 0) return;
  workers_[tenant] = std::make_unique<JobWorker>(host_, job_kind(tenant), kMaxMailsPerTenant, kMailLeaseMs,
                                                 [this](const Job& job) { run(job); });
}

void MailQueue::drain(Function<void()> idle) {
  draining_ = true;
  workers_.clear();
  waiting_.clear();
  in_flight_ -= std::exchange(postponed_, {}).size();
  if (in_flight_ == 0) return idle();
  idle_ = std::move(idle);
}

void MailQueue::stop() {
  draining_ = true;
  workers_.clear();
  sender_.reset();
}

Result<Empty> MailQueue::add(const Mail& request) {
  if (!request.tx) return {Code::invalid, "tx is missing"};
  if (!is_call_id(request.call_id)) return {Code::invalid, "call_id is not a valid file name"};
  if (!is_tenant(request.tenant)) return {Code::invalid, "tenant is not a host name"};
  if (settings_.find(request.tenant) == nullptr) {
    if (without_server_.insert(request.tenant).second)
      log_.warn("no mail server is configured: outcome mails are skipped", {{"tenant", request.tenant}});
    return Empty{};
  }
  const int64_t now_ms = host_.wall_ms();
  Transaction tx = Transaction::borrow(host_, request.tx);
  tx.exec(insert_, {request.tenant, request.call_id, request.to, request.phone, request.display_name,
                    request.outcome, request.error_detail, request.attempts, request.ended_ms,
                    request.duration_sec, request.file, now_ms});
  add_worker(request.tenant);
  tx.job_add(job_kind(request.tenant), request.tenant, job_key(request.tenant, request.call_id), now_ms,
             request.call_id);
  return Empty{};
}

void MailQueue::run(const Job& job) {
  waiting_.push_back({job, host_.wall_ms()});
  start_waiting();
}

// A message that has waited so long that its lease could end during the attempt is left to the next claim.
void MailQueue::start_waiting() {
  while (!waiting_.empty() && in_flight_ < kMaxMailsInFlight) {
    const Claimed next = std::move(waiting_.front());
    waiting_.pop_front();
    if (host_.wall_ms() - next.claimed_ms > kMaxMailWaitMs) continue;
    ++in_flight_;
    read(next.job);
  }
}

void MailQueue::read(const Job& job) {
  query(host_, get_, {job.tenant, job.body}, alive_.bind([this, job](const Result<Rows>& rows) {
    if (!rows && retry_later(rows.error(), [this, job] { read(job); })) return;
    if (!rows) return one_less();  // the job is claimed again after its lease
    if (rows->empty() || rows->text(0, 0) != kWaiting) return end_job(job);
    OutcomeMail mail = read_mail(*rows);
    mail.tenant = job.tenant;
    mail.call_id = job.body;
    send(job, std::move(mail), rows->integer(0, 1));
  }));
}

void MailQueue::send(const Job& job, OutcomeMail mail, int64_t tries) {
  Sending sending{job, std::move(mail), tries, {}};
  if (!is_mail_address(sending.mail.recipient))
    return record(sending, {SmtpResult::Kind::refused, "the recipient is not an address that SMTP takes"});
  const MailServer* server = settings_.find(job.tenant);
  if (server == nullptr)
    return record(sending, {SmtpResult::Kind::failed, "no mail server is configured any more"});
  sending.server = *server;
  compose(std::move(sending));
}

void MailQueue::compose(Sending sending) {
  // Shared with the task, because post_worker() destroys a task that it refuses.
  const auto shared = std::make_shared<Sending>(std::move(sending));
  auto then = alive_.bind(
      [this, shared](std::string content) { on_composed(std::move(*shared), std::move(content)); });
  const Status queued = post_worker(host_, [this, shared, then = std::move(then)]() mutable {
    std::optional<PublicTranscript> transcript;
    const auto text = shared->mail.file.empty() ? Result<std::string>(Code::not_found, "")
                                                : archive_.read(shared->mail.tenant, shared->mail.file);
    if (const auto document = text ? host_.parse_json(*text) : Result<Json>(text.error()))
      transcript = PublicTranscript::read(document->root());
    std::string content = outcome_message(shared->mail, shared->server.sender, transcript);
    post(host_, kMainStrand,
         [then = std::move(then), content = std::move(content)]() mutable { then(std::move(content)); });
  });
  if (!queued) record(*shared, {SmtpResult::Kind::failed, "the server is busy"});
}

void MailQueue::on_composed(Sending sending, std::string content) {
  if (!sender_) return;
  SmtpMessage message{sending.server, sending.mail.tenant, sending.mail.recipient, std::move(content)};
  auto on_strand =
      alive_.bind([this](const Sending& done, const SmtpResult& result) { record(done, result); });
  sender_->send(std::move(message), [&host = host_, on_strand,
                                     sending = std::move(sending)](SmtpResult result) mutable {
    post(host, kMainStrand, [on_strand, sending = std::move(sending), result = std::move(result)]() mutable {
      on_strand(sending, result);
    });
  });
}

void MailQueue::record(const Sending& sending, const SmtpResult& result) {
  const Log log = log_.with(sending.mail.call_id);
  const std::string& tenant = sending.mail.tenant;
  if (result.kind == SmtpResult::Kind::sent) {
    sent_.add();
    log.info("the outcome mail was sent", {{"tenant", tenant}, {"attempt", sending.tries + 1}});
    return store(sending, kSent, "", std::nullopt);
  }
  if (result.kind == SmtpResult::Kind::refused) {
    refused_.add();
    log.error("the outcome mail was refused", {{"tenant", tenant}, {"why", result.error}});
    return store(sending, kRefused, result.error, std::nullopt);
  }
  const auto next_ms = next_mail_ms(sending.tries + 1, sending.mail.created_ms, host_.wall_ms());
  if (next_ms) {
    retried_.add();
    log.warn("the outcome mail could not be sent yet", {{"tenant", tenant}, {"why", result.error}});
    return store(sending, kWaiting, result.error, next_ms);
  }
  given_up_.add();
  log.error("the outcome mail could not be sent for a day and is given up",
            {{"tenant", tenant}, {"why", result.error}});
  store(sending, kGivenUp, result.error, std::nullopt);
}

// Tries again while the store is not available, because otherwise the message would be sent again after the
// lease. After another failure it is, under the same Message-ID.
void MailQueue::store(const Sending& sending, const char* state, const std::string& error,
                      std::optional<int64_t> next_ms) {
  Transaction tx(host_);
  tx.exec(result_,
          {sending.mail.tenant, sending.mail.call_id, state, error, host_.wall_ms(), next_ms.value_or(0)});
  if (next_ms) {
    tx.job_retry(sending.job.id, sending.job.fence, *next_ms);
  } else {
    tx.job_done(sending.job.id, sending.job.fence);
  }
  std::move(tx).commit(alive_.bind([this, sending, state, error, next_ms](const Commit& outcome) {
    if (!outcome && retry_later(outcome.error(), [this, sending, state, error, next_ms] {
          store(sending, state, error, next_ms);
        }))
      return;
    if (!outcome)
      log_.error("the state of an outcome mail could not be stored", {{"why", outcome.error().text}});
    one_less();
  }));
}

// False for an error that does not pass, and when no further message is started: the next server sends it
// then.
bool MailQueue::retry_later(const Error& why, Function<void()> again) {
  if ((why.code != Code::unavailable && why.code != Code::exhausted) || draining_) return false;
  if (postponed_.empty()) log_.warn("outcome mails wait for the store", {{"why", why.text}});
  postponed_.push_back(std::move(again));
  if (store_timer_.armed()) return true;
  store_timer_.after_ms(kMailStoreRetryMs, [this] {
    std::vector<Function<void()>> list = std::exchange(postponed_, {});
    for (Function<void()>& each : list) each();
  });
  return true;
}

void MailQueue::end_job(const Job& job) {
  Transaction tx(host_);
  tx.job_done(job.id, job.fence);
  std::move(tx).commit(alive_.bind([this](const Commit&) { one_less(); }));
}

void MailQueue::one_less() {
  --in_flight_;
  start_waiting();
  if (in_flight_ == 0 && idle_) std::exchange(idle_, {})();
}

}  // namespace patchbay::transcripts
