// InboundCall: what is known of a call to a virtual number, and how it ended. Its events and its transcript
// are as in the specification's catalogue. Pure; any thread.
#pragma once

#include <patchbay/event.h>
#include <patchbay/services/engine.h>

#include <cstdint>
#include <string>
#include <vector>

#include "conversation/transcript_builder.h"
#include "outbound/attempt_end.h"

namespace patchbay::ai_voice {

struct InboundCall {
  std::string call_id;  // "vnum-0123456789ab"
  std::string tenant;
  std::string name;         // of the virtual number
  std::string did;          // the number that was called
  std::string from_number;  // "": withheld
  std::string voice, language, model;
  bool keeps_transcript = true;
  int64_t max_seconds = 0;      // from the answer
  int64_t started_ms = 0;       // when the call came
  int64_t answered_ms = 0;      // 0: not yet
  bool is_transferred = false;  // the caller talks with another number
  bool is_handed_over = false;  // by the AI of another virtual number, whose call counts for the limits
  int64_t owner_run = 0;
};

inline constexpr char kTransferred[] = "transferred-to-vnum";  // the outcome of every completed transfer

struct InboundEnd {
  std::string outcome;  // as in the specification
  std::string error_detail;
  int64_t ended_ms = 0;
  engine::Usage usage;
  std::vector<TranscriptTurn> turns;
  int64_t input_turns = 0;
  int64_t output_turns = 0;
};

// From the answer to the end in whole seconds.
int64_t duration_sec(const InboundCall& call, int64_t ended_ms);

NewEvent inbound_answered(const InboundCall& call, int64_t answer_ms);
NewEvent inbound_started(const InboundCall& call);
// Where the AI has handed the caller.
enum class TransferTarget { phone, user, number };  // number: a virtual one
NewEvent inbound_transferred(const InboundCall& call, TransferTarget kind, const std::string& target);
NewEvent inbound_ended(const InboundCall& call, const InboundEnd& end);
// The deduplication key of inbound_ended(): one event per call.
std::string inbound_ended_key(const InboundCall& call);

// The full transcript, as returned by GET /v1/transcripts/{callId}, and its label.
std::string inbound_document(const InboundCall& call, const InboundEnd& end);
std::string inbound_rule(const InboundCall& call);

}  // namespace patchbay::ai_voice
