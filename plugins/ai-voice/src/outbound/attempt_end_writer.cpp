#include "outbound/attempt_end_writer.h"

#include <memory>
#include <utility>

#include "outbound/transcript_document.h"

namespace patchbay::ai_voice {

void AttemptEndWriter::write(EndedAttempt attempt, Function<void(const Status&)> done) {
  CallEnd end;
  end.call_id = attempt.call.call_id;
  end.attempt = attempt.call.attempt;
  end.tenant = attempt.call.tenant;
  end.rule = "outbound: " + attempt.call.display_name;
  end.document = std::move(attempt.document);
  end.after_restart = attempt.after_restart;
  end.end_operation = CallStore::kEndOperation;
  end.transaction = [this, attempt = std::move(attempt)](bool has_transcript) mutable {
    Call& call = attempt.call;
    call.transcript_path = has_transcript ? transcript_file(call) : std::string();
    Transaction tx(host_);
    store_.end_attempt(tx, call, attempt.ending, attempt.turn_counts, attempt.ended_ms);
    return tx;
  };
  writer_.write(std::move(end), std::move(done));
}

}  // namespace patchbay::ai_voice
