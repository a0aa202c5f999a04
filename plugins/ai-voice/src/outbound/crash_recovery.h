// CrashRecovery: ends the attempts that an earlier run of the plugin left running, and those of servers on
// the same database that died.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/store.h>
#include <patchbay/strand.h>

#include <vector>

#include "outbound/attempt_end_writer.h"
#include "outbound/call_metrics.h"
#include "outbound/call_store.h"

namespace patchbay::ai_voice {

// Main strand only. Ends each attempt like OutboundAttempt does: state, outbound-ai.finished and, if it was
// answered, a transcript of the stored turns, in one transaction. Repeats until none is left; goes on looking
// if other servers may use the database. When two servers end the same attempt, one of the transactions is
// refused.
class CrashRecovery {
 public:
  CrashRecovery(const Host& host, const CallStore& store, const CallMetrics& metrics,
                AttemptEndWriter& writer);
  void start() { read(); }

 private:
  void read();
  void recover(Call call);
  static void add_transcript(EndedAttempt& ended, std::vector<TranscriptTurn> turns);
  void write(EndedAttempt ended);
  void end_stored(const EndedAttempt& ended, const Status& status);

  // borrowed
  const Host& host_;
  const CallStore& store_;
  const CallMetrics& metrics_;
  AttemptEndWriter& writer_;
  // owned
  const Log log_;
  Timer retry_timer_;
  // state
  size_t pending_ = 0;
  bool failed_ = false;       // for a call of the last batch
  bool read_failed_ = false;  // reported once
  Lifetime alive_;
};

}  // namespace patchbay::ai_voice
