// AttemptEndWriter: stores the ends of attempts: state, outbound-ai.finished and the transcript.
#pragma once

#include <string>

#include "end_writer.h"
#include "outbound/call_store.h"

namespace patchbay::ai_voice {

struct EndedAttempt {
  Call call;  // in its last state
  Ending ending;
  TurnCounts turn_counts;
  int64_t ended_ms = 0;
  std::string document = {};   // the transcript; "": none is saved
  bool after_restart = false;  // the attempt was started by an earlier run of the plugin
};

// Main strand only.
class AttemptEndWriter {
 public:
  AttemptEndWriter(const Host& host, const CallStore& store, EndWriter& writer)
      : host_(host), store_(store), writer_(writer) {}

  // As EndWriter::write().
  void write(EndedAttempt attempt, Function<void(const Status&)> done);

 private:
  // borrowed
  const Host& host_;
  const CallStore& store_;
  EndWriter& writer_;
};

}  // namespace patchbay::ai_voice
