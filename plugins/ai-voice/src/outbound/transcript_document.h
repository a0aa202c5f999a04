// The full transcript of an outbound attempt, as returned by GET /v1/transcripts/{callId}. Pure; any thread.
#pragma once

#include <patchbay/services/engine.h>

#include <string>
#include <vector>

#include "conversation/transcript_builder.h"
#include "outbound/attempt_end.h"

namespace patchbay::ai_voice {

struct TranscriptParts {
  const Call& call;
  const Ending& ending;
  const engine::Usage& usage;
  std::vector<TranscriptTurn> turns;
  int64_t input_turns = 0;
  int64_t output_turns = 0;
  int64_t started_ms = 0;
  int64_t ended_ms = 0;
};

std::string transcript_document(const TranscriptParts& parts);
// "<callId>.json", from attempt 2 on "<callId>-<attempt>.json".
std::string transcript_file(const Call& call);

}  // namespace patchbay::ai_voice
