// CrashRecovery: ends the attempts that an earlier run of the plugin left running.
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

// Main strand only. Ends each attempt like OutboundAttempt does: state, outbound-ai.finished and, if it was
// answered, a transcript of the stored turns, in one transaction. Repeats until none is left.
class CrashRecovery {
 public:
  CrashRecovery(const Host& host, const CallStore& store, const CallMetrics& metrics);
  void start() { read(); }

 private:
  struct InterruptedCall {
    Call call;
    Ending ending;
    TalkStats talk;
    int64_t ended_ms = 0;
  };
  using CallPtr = std::shared_ptr<InterruptedCall>;  // shared by the asynchronous steps

  void read();
  void recover(Call call);
  void save(const CallPtr& interrupted, std::vector<TranscriptTurn> turns);
  void end_attempt(const CallPtr& interrupted, Transaction tx);
  void commit(const CallPtr& interrupted, Transaction tx);
  void end_stored(const CallPtr& interrupted, const Status& status);

  // borrowed
  const Host& host_;
  const CallStore& store_;
  const CallMetrics& metrics_;
  // owned
  const Log log_;
  Service<transcripts::Transcripts> transcripts_;
  Timer retry_timer_;
  // state
  size_t pending_ = 0;
  bool failed_ = false;  // for a call of the last batch
  Lifetime alive_;
};

}  // namespace patchbay::ai_voice
