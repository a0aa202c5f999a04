// Recovery: ends the attempts that a process which is gone has left running.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/service.h>
#include <patchbay/services/transcripts.h>
#include <patchbay/store.h>
#include <patchbay/strand.h>

#include <memory>
#include <string>
#include <vector>

#include "outbound/call_metrics.h"
#include "outbound/call_store.h"

namespace patchbay::ai_voice {

// Main strand only. Each attempt ends as one of ours would: state, outbound-ai.finished and, if it was
// answered, a transcript of the turns that were kept, in one transaction. Goes on until none is left.
class Recovery {
 public:
  Recovery(const Host& host, const CallStore& store, const CallMetrics& metrics);
  void start() { read(); }

 private:
  struct Case {
    Call call;
    Ending ending;
    TalkStats talk;
    int64_t ended_ms = 0;
  };
  using CasePtr = std::shared_ptr<Case>;  // shared by the steps, of which one may be refused

  void read();
  void recover(Call call);
  void save(const CasePtr& one, std::vector<TranscriptTurn> turns);
  void finish(const CasePtr& one, Transaction tx);
  void commit(const CasePtr& one, Transaction tx);
  void ended(const CasePtr& one, const Status& status);

  // borrowed
  const Host& host_;
  const CallStore& store_;
  const CallMetrics& metrics_;
  // owned
  const Log log_;
  Service<transcripts::Transcripts> transcripts_;
  Timer again_;
  // state
  size_t under_way_ = 0;
  bool failed_ = false;  // one of those read last
  Lifetime alive_;
};

}  // namespace patchbay::ai_voice
