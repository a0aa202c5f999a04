#include "inbound/inbound_end_writer.h"

#include <utility>

namespace patchbay::ai_voice {

void InboundEndWriter::write(InboundCall call, InboundEnd end, bool after_restart,
                             Function<void(const Status&)> done) {
  CallEnd out;
  out.call_id = call.call_id;
  out.tenant = call.tenant;
  out.rule = inbound_rule(call);
  if (call.answered_ms > 0 && call.keeps_transcript) out.document = inbound_document(call, end);
  out.after_restart = after_restart;
  end.turns.clear();  // the document has them
  out.transaction = [this, call = std::move(call), end = std::move(end)](bool) {
    Transaction tx(host_);
    store_.end(tx, call, end);
    return tx;
  };
  writer_.write(std::move(out), std::move(done));
}

}  // namespace patchbay::ai_voice
