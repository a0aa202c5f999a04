// OutcomeMail: hands the outcomes of calls that ended for good to patchbay.transcripts, which mails them. The
// transaction that ends a call adds a job; the job's completion and the message are one transaction, so that
// each call gets exactly one message, whatever crashes in between. Main strand.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/service.h>
#include <patchbay/services/transcripts.h>
#include <patchbay/store.h>

#include <memory>

#include "outbound/call_store.h"

namespace patchbay::ai_voice {

class OutcomeMail {
 public:
  OutcomeMail(const Host& host, const CallStore& store);
  void start();
  void stop() { worker_.reset(); }

 private:
  void run(const Job& job);
  void hand_over(const Job& job, const Call& call);
  void complete(Transaction tx, const Job& job);
  void postpone(const Job& job, const Error& why);

  // borrowed
  const Host& host_;
  const CallStore& store_;
  // owned
  const Log log_;
  Service<transcripts::Transcripts> transcripts_;
  std::unique_ptr<JobWorker> worker_;
  Lifetime alive_;
};

}  // namespace patchbay::ai_voice
