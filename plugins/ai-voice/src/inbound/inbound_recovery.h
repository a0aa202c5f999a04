// InboundRecovery: ends the calls to virtual numbers whose process died: at the start, and with a shared
// database all the time, because another server may die.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/strand.h>

#include <cstddef>

#include "inbound/inbound_end_writer.h"
#include "inbound/inbound_store.h"
#include "outbound/call_metrics.h"

namespace patchbay::ai_voice {

// Main strand only.
class InboundRecovery {
 public:
  InboundRecovery(const Host& host, const InboundStore& store, const CallMetrics& metrics,
                  InboundEndWriter& writer);

  // Reads a batch of such calls, ends them, and goes on with the next one.
  void start() { read(); }

 private:
  void read();
  void recover(const InboundCall& call);
  void write(const InboundCall& call, std::vector<TranscriptTurn> turns);
  void on_done(const InboundCall& call, const Status& status);

  // borrowed
  const Host& host_;
  const InboundStore& store_;
  const CallMetrics& metrics_;
  InboundEndWriter& writer_;
  // owned
  const Log log_;
  Timer timer_;
  // state
  size_t pending_ = 0;  // of the batch
  bool failed_ = false, read_failed_ = false;
  Lifetime alive_;
};

}  // namespace patchbay::ai_voice
