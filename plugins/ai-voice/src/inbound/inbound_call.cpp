#include "inbound/inbound_call.h"

#include <patchbay/json.h>

#include <algorithm>
#include <utility>

#include "conversation/call_event.h"
#include "conversation/transcript_members.h"

namespace patchbay::ai_voice {

int64_t duration_sec(const InboundCall& call, int64_t ended_ms) {
  return call.answered_ms > 0 ? std::max<int64_t>(0, ended_ms - call.answered_ms) / 1000 : 0;
}

NewEvent inbound_answered(const InboundCall& call, int64_t answer_ms) {
  JsonWriter data;
  data.object()
      .member("callId", call.call_id)
      .member("did", call.did)
      .member("fromNumber", call.from_number)
      .member("direction", "inbound")
      .member("source", "engine-live")
      .member("answerMs", answer_ms)
      .end();
  return event_of(call, "call.answered", std::move(data));
}

NewEvent inbound_started(const InboundCall& call) {
  JsonWriter data;
  data.object()
      .member("callId", call.call_id)
      .member("number", call.did)
      .member("did", call.did)
      .member("direction", "inbound")
      .member("source", "engine-live")
      .end();
  return event_of(call, "call.started", std::move(data));
}

NewEvent inbound_transferred(const InboundCall& call, TransferTarget kind, const std::string& target) {
  const bool is_phone = kind == TransferTarget::phone;
  JsonWriter data;
  data.object()
      .member("callId", call.call_id)
      .member("fromVnum", call.did)
      .member(is_phone ? "toPhone" : "toUser", target)
      .member("transferType", is_phone                       ? "vnum-to-pstn"
                              : kind == TransferTarget::user ? "vnum-to-officetab"
                                                             : "vnum-to-vnum")
      .member("room", "")
      .member("source", "vnum")
      .end();
  return event_of(call, "call.transferred", std::move(data));
}

NewEvent inbound_ended(const InboundCall& call, const InboundEnd& end) {
  JsonWriter data;
  data.object()
      .member("callId", call.call_id)
      .member("number", call.did)
      .member("room", "")
      .member("outcome", end.outcome)
      .member("durationSec", duration_sec(call, end.ended_ms))
      .member("tokens", end.usage.total)
      .member("source", "sip")
      .end();
  return event_of(call, "call.ended", std::move(data));
}

std::string inbound_ended_key(const InboundCall& call) { return "call.ended/" + call.call_id; }

std::string inbound_rule(const InboundCall& call) { return "vnum:" + call.name; }

std::string inbound_document(const InboundCall& call, const InboundEnd& end) {
  JsonWriter out;
  out.object()
      .member("callId", call.call_id)
      .member("callerSource", "vnum")
      .member("tenant", call.tenant)
      .member("requestedBy", "")
      .member("number", call.did)
      .member("fromNumber", call.from_number)
      .member("room", "")
      .member("rule", inbound_rule(call))
      .member("voice", call.voice)
      .member("language", call.language)
      .member("model", call.model);
  write_members(out,
                {call.started_ms, call.answered_ms, end.ended_ms, duration_sec(call, end.ended_ms),
                 end.input_turns, end.output_turns, end.usage, end.outcome, end.error_detail, end.turns});
  out.end();
  return std::move(out).str();
}

}  // namespace patchbay::ai_voice
