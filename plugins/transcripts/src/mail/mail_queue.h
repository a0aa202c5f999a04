// MailQueue: the messages about calls that ended for good. A message is a row and a job of the transaction
// that hands it over; it is sent until the server takes or refuses it, for a day. There is a job
// worker for each tenant, so that messages to a slow server delay no other tenant's. Main strand; messages
// are composed on workers and sent on the sender's thread.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/services/transcripts.h>
#include <patchbay/store.h>
#include <patchbay/strand.h>

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "archive.h"
#include "mail/mail_settings.h"
#include "mail/smtp_sender.h"

namespace patchbay::transcripts {

class MailQueue {
 public:
  MailQueue(const Host& host, const Archive& archive);
  void configure(MailSettings settings) { settings_ = std::move(settings); }
  // Offers the method `mail` of patchbay.transcripts.
  void add_to(Provision<Transcripts>& provision);
  void start();
  // Starts no further message; calls idle() when those in flight have ended.
  void drain(Function<void()> idle);
  // Cancels the messages in flight; they are sent again after the next start.
  void stop();

 private:
  // A message that is being sent.
  struct Sending {
    Job job;
    OutcomeMail mail;
    int64_t tries = 0;  // before this one
    MailServer server;
  };

  // A message that waits for others to end.
  struct Claimed {
    Job job;
    int64_t claimed_ms = 0;
  };

  Result<Empty> add(const Mail& request);
  void read_tenants();
  void add_worker(const std::string& tenant);
  void run(const Job& job);
  void start_waiting();
  void read(const Job& job);
  void send(const Job& job, OutcomeMail mail, int64_t tries);
  void compose(Sending sending);
  void on_composed(Sending sending, std::string content);
  void record(const Sending& sending, const SmtpResult& result);
  void store(const Sending& sending, const char* state, const std::string& error,
             std::optional<int64_t> next_ms);
  void end_job(const Job& job);
  bool retry_later(const Error& why, Function<void()> again);
  void one_less();

  // borrowed
  const Host& host_;
  const Archive& archive_;
  // owned
  const Log log_;
  const Statement insert_, get_, result_, tenants_;
  const Metric sent_, refused_, retried_, given_up_;
  std::unique_ptr<SmtpSender> sender_;
  std::map<std::string, std::unique_ptr<JobWorker>> workers_;  // by tenant
  Timer store_timer_, tenants_timer_;
  Lifetime alive_;
  // state
  MailSettings settings_;
  std::set<std::string, std::less<>> without_server_;  // tenants for which that was logged
  bool draining_ = false;
  size_t in_flight_ = 0;
  std::deque<Claimed> waiting_;
  std::vector<Function<void()>> postponed_;  // what the store refused
  Function<void()> idle_;
};

}  // namespace patchbay::transcripts
