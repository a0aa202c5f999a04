#include "outbound/transcript_document.h"

#include <patchbay/json.h>

#include <utility>

#include "conversation/transcript_members.h"

namespace patchbay::ai_voice {

std::string transcript_file(const Call& call) {
  return call.call_id + (call.attempt > 1 ? "-" + std::to_string(call.attempt) : "") + ".json";
}

std::string transcript_document(const TranscriptParts& parts) {
  const Call& call = parts.call;
  JsonWriter out;
  out.object();
  write_request(out, call);
  out.member("callerSource", "outbound-ai").member("trunkId", call.trunk_id);
  write_members(out, {parts.started_ms, call.answered_ms, parts.ended_ms, duration_sec(call, parts.ended_ms),
                      parts.input_turns, parts.output_turns, parts.usage, parts.ending.outcome,
                      parts.ending.error_detail, parts.turns});
  out.end();
  return std::move(out).str();
}

}  // namespace patchbay::ai_voice
