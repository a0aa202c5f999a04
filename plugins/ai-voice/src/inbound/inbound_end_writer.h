// InboundEndWriter: stores the ends of inbound calls: call.ended and the transcript.
#pragma once

#include "end_writer.h"
#include "inbound/inbound_store.h"

namespace patchbay::ai_voice {

// Main strand only.
class InboundEndWriter {
 public:
  InboundEndWriter(const Host& host, const InboundStore& store, EndWriter& writer)
      : host_(host), store_(store), writer_(writer) {}

  // As EndWriter::write(). Saves a transcript of answered calls that keep one.
  void write(InboundCall call, InboundEnd end, bool after_restart, Function<void(const Status&)> done);

 private:
  // borrowed
  const Host& host_;
  const InboundStore& store_;
  EndWriter& writer_;
};

}  // namespace patchbay::ai_voice
