#include "outbound/transcript_document.h"

#include <patchbay/json.h>
#include <patchbay/utc.h>

#include <utility>

namespace patchbay::ai_voice {

std::string transcript_file(const Call& call) {
  return call.call_id + (call.attempt > 1 ? "-" + std::to_string(call.attempt) : "") + ".json";
}

std::string transcript_document(const TranscriptParts& parts) {
  const Call& call = parts.call;
  JsonWriter out;
  out.object();
  write_request(out, call);
  out.member("callerSource", "outbound-ai")
      .member("trunkId", call.trunk_id)
      .member("startedUtc", utc_text(parts.started_ms))
      .member("answeredUtc", call.answered_ms > 0 ? utc_text(call.answered_ms) : std::string())
      .member("endedUtc", utc_text(parts.ended_ms))
      .member("durationSec", duration_sec(call, parts.ended_ms))
      .member("inputTurns", parts.input_turns)
      .member("outputTurns", parts.output_turns)
      .member("tokensTotal", parts.usage.total)
      .member("tokensPrompt", parts.usage.prompt)
      .member("answered", call.answered_ms > 0)
      .member("outcome", parts.ending.outcome)
      .member("errorDetail", parts.ending.error_detail)
      .key("turns")
      .array();
  for (const TranscriptTurn& turn : parts.turns) {
    out.object()
        .member("speaker", turn.speaker == TranscriptTurn::Speaker::ai ? "AI" : "Caller")
        .member("text", turn.text)
        .member("ts", utc_text(turn.ts_ms))
        .end();
  }
  out.end().end();
  return std::move(out).str();
}

}  // namespace patchbay::ai_voice
