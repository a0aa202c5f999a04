#include "conversation/transcript_members.h"

#include <patchbay/utc.h>

namespace patchbay::ai_voice {

void write_members(JsonWriter& out, const TranscriptMembers& members) {
  out.member("startedUtc", utc_text(members.started_ms))
      .member("answeredUtc", members.answered_ms > 0 ? utc_text(members.answered_ms) : std::string())
      .member("endedUtc", utc_text(members.ended_ms))
      .member("durationSec", members.duration_sec)
      .member("inputTurns", members.input_turns)
      .member("outputTurns", members.output_turns)
      .member("tokensTotal", members.usage.total)
      .member("tokensPrompt", members.usage.prompt)
      .member("answered", members.answered_ms > 0)
      .member("outcome", members.outcome)
      .member("errorDetail", members.error_detail)
      .key("turns")
      .array();
  for (const TranscriptTurn& turn : members.turns) {
    out.object()
        .member("speaker", turn.speaker == TranscriptTurn::Speaker::ai ? "AI" : "Caller")
        .member("text", turn.text)
        .member("ts", utc_text(turn.ts_ms))
        .end();
  }
  out.end();
}

}  // namespace patchbay::ai_voice
