#include "inbound/inbound_recovery.h"

#include <algorithm>
#include <utility>

#include "inbound/inbound_limits.h"
#include "outbound/limits.h"

namespace patchbay::ai_voice {

InboundRecovery::InboundRecovery(const Host& host, const InboundStore& store, const CallMetrics& metrics,
                                 InboundEndWriter& writer)
    : host_(host), store_(store), metrics_(metrics), writer_(writer), log_(host), timer_(host) {}

void InboundRecovery::read() {
  store_.orphans(alive_.bind([this](const Result<std::vector<InboundCall>>& calls) {
    if (!calls) {
      if (!std::exchange(read_failed_, true))
        log_.error("interrupted calls could not be read", {{"why", calls.error().text}});
      return timer_.after_ms(kRecoveryRetryMs, [this] { read(); });
    }
    failed_ = read_failed_ = false;
    pending_ = calls->size();
    if (pending_ == 0 && store_.owner().is_shared)
      return timer_.after_ms(lib::kOwnerPollMs, [this] { read(); });
    for (const InboundCall& call : *calls) recover(call);
  }));
}

void InboundRecovery::recover(const InboundCall& call) {
  if (call.answered_ms == 0 || !call.keeps_transcript) return write(call, {});
  store_.turns(call, alive_.bind([this, call](Result<std::vector<TranscriptTurn>> turns) {
    if (!turns) return on_done(call, turns.error());
    write(call, *std::move(turns));
  }));
}

void InboundRecovery::write(const InboundCall& call, std::vector<TranscriptTurn> turns) {
  InboundEnd end;
  end.outcome = call.is_transferred ? kTransferred : "far-hangup";
  end.error_detail = "interrupted";
  // When the process died is not known, but a call never lasts longer.
  end.ended_ms = std::min(host_.wall_ms(), call.answered_ms + call.max_seconds * 1000);
  end.turns = std::move(turns);
  for (const TranscriptTurn& turn : end.turns)
    ++(turn.speaker == TranscriptTurn::Speaker::ai ? end.output_turns : end.input_turns);
  writer_.write(call, std::move(end), true,
                alive_.bind([this, call](const Status& stored) { on_done(call, stored); }));
}

void InboundRecovery::on_done(const InboundCall& call, const Status& status) {
  const Log log = log_.with(call.call_id);
  if (status) {
    metrics_.inbound_ended(call.answered_ms == 0 ? "not-answered"
                                                 : (call.is_transferred ? kTransferred : "far-hangup"));
    log.warn("the call was interrupted by a crash of the server or of this plugin");
  } else if (status.error().code != Code::fenced) {
    failed_ = true;
    log.error("an interrupted call could not be ended", {{"why", status.error().text}});
  }
  if (--pending_ > 0) return;
  if (failed_) return timer_.after_ms(kRecoveryRetryMs, [this] { read(); });
  read();  // the next batch, if any
}

}  // namespace patchbay::ai_voice
