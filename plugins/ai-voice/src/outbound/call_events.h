// The events of an outbound call, as in the specification's catalogue. Pure; any thread.
#pragma once

#include <patchbay/event.h>

#include "outbound/attempt_end.h"

namespace patchbay::ai_voice {

NewEvent call_answered(const Call& call, int64_t answer_ms);
NewEvent call_started(const Call& call);
// The AI has handed the callee to that user.
NewEvent call_transferred(const Call& call, const std::string& user);

struct TurnCounts {
  int64_t input_turns = 0;   // of the caller
  int64_t output_turns = 0;  // of the AI
};
NewEvent outbound_finished(const Call& call, const Ending& ending, const TurnCounts& turns, int64_t ended_ms);
// The deduplication key of outbound_finished(): one event per attempt.
std::string finished_key(const Call& call);

}  // namespace patchbay::ai_voice
