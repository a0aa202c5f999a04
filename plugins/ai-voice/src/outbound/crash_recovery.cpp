#include "outbound/crash_recovery.h"

#include <algorithm>
#include <utility>

#include "inbound/inbound_call.h"
#include "outbound/limits.h"
#include "outbound/transcript_document.h"

namespace patchbay::ai_voice {

CrashRecovery::CrashRecovery(const Host& host, const CallStore& store, const CallMetrics& metrics,
                             AttemptEndWriter& writer)
    : host_(host), store_(store), metrics_(metrics), writer_(writer), log_(host), retry_timer_(host) {}

void CrashRecovery::read() {
  store_.orphans(alive_.bind([this](const Result<std::vector<Call>>& calls) {
    if (!calls) {
      if (!std::exchange(read_failed_, true))
        log_.error("interrupted calls could not be read", {{"why", calls.error().text}});
      return retry_timer_.after_ms(kRecoveryRetryMs, [this] { read(); });
    }
    failed_ = read_failed_ = false;
    pending_ = calls->size();
    if (pending_ == 0 && store_.owner().is_shared)
      return retry_timer_.after_ms(lib::kOwnerPollMs, [this] { read(); });
    for (const Call& call : *calls) recover(call);
  }));
}

void CrashRecovery::recover(Call call) {
  const bool answered = call.answered_ms > 0;
  Ending ending = Ending::technical(answered, "interrupted");
  if (call.is_transferred != 0) {  // the AI had done its part
    ending = Ending::completed(kTransferred);
    ending.error_detail = "interrupted";
  }
  EndedAttempt ended{std::move(call), std::move(ending), {}, host_.wall_ms()};
  ended.after_restart = true;
  if (!answered) return write(std::move(ended));
  const Call& stored = ended.call;
  store_.turns(stored, alive_.bind([this, ended](Result<std::vector<TranscriptTurn>> turns) mutable {
    if (!turns) return end_stored(ended, turns.error());
    add_transcript(ended, std::move(*turns));
    write(std::move(ended));
  }));
}

void CrashRecovery::add_transcript(EndedAttempt& ended, std::vector<TranscriptTurn> turns) {
  const auto of_ai = [](const TranscriptTurn& turn) { return turn.speaker == TranscriptTurn::Speaker::ai; };
  TurnCounts& counts = ended.turn_counts;
  counts.output_turns = std::count_if(turns.begin(), turns.end(), of_ai);
  counts.input_turns = static_cast<int64_t>(turns.size()) - counts.output_turns;
  ended.document = transcript_document({ended.call,
                                        ended.ending,
                                        {},
                                        std::move(turns),
                                        counts.input_turns,
                                        counts.output_turns,
                                        ended.call.dispatched_ms,
                                        ended.ended_ms});
}

void CrashRecovery::write(EndedAttempt ended) {
  // A copy, because the original is moved.
  const EndedAttempt reported{ended.call, ended.ending, {}, 0};
  writer_.write(std::move(ended), [this, reported](const Status& stored) { end_stored(reported, stored); });
}

void CrashRecovery::end_stored(const EndedAttempt& ended, const Status& status) {
  const std::string& call_id = ended.call.call_id;
  if (status) {
    metrics_.ended(ended.call, ended.ending);
    log_.with(call_id).warn("the call was interrupted by a crash of the server or of this plugin",
                            {{"node", ended.call.owner_node}, {"epoch", ended.call.owner_epoch}});
  } else if (status.error().code != Code::fenced) {
    failed_ = true;
    log_.with(call_id).error("an interrupted call could not be ended", {{"why", status.error().text}});
  }
  if (--pending_ > 0) return;
  if (failed_) return retry_timer_.after_ms(kRecoveryRetryMs, [this] { read(); });
  read();  // the next batch, if any
}

}  // namespace patchbay::ai_voice
