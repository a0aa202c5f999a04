// The members of a full transcript that calls of both directions have. Pure; any thread.
#pragma once

#include <patchbay/json.h>
#include <patchbay/services/engine.h>

#include <string>
#include <vector>

#include "conversation/transcript_builder.h"

namespace patchbay::ai_voice {

struct TranscriptMembers {
  int64_t started_ms = 0;
  int64_t answered_ms = 0;  // 0: not answered
  int64_t ended_ms = 0;
  int64_t duration_sec = 0;
  int64_t input_turns = 0;
  int64_t output_turns = 0;
  const engine::Usage& usage;
  std::string outcome;
  std::string error_detail;
  const std::vector<TranscriptTurn>& turns;
};

// Writes them into an open object, from startedUtc to turns.
void write_members(JsonWriter& out, const TranscriptMembers& members);

}  // namespace patchbay::ai_voice
