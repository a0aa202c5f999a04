#include "outbound/call_events.h"

#include <patchbay/utc.h>

#include <utility>

#include "conversation/call_event.h"
#include "outbound/retry_policy.h"

namespace patchbay::ai_voice {

NewEvent call_answered(const Call& call, int64_t answer_ms) {
  JsonWriter data;
  data.object()
      .member("callId", call.call_id)
      .member("phone", call.phone)
      .member("displayName", call.display_name)
      .member("trunkId", call.trunk_id)
      .member("direction", "outbound")
      .member("source", "outbound-ai")
      .member("answerMs", answer_ms)
      .end();
  return event_of(call, "call.answered", std::move(data));
}

NewEvent call_started(const Call& call) {
  JsonWriter data;
  data.object()
      .member("callId", call.call_id)
      .member("phone", call.phone)
      .member("displayName", call.display_name)
      .member("direction", "outbound")
      .member("source", "outbound-ai")
      .end();
  return event_of(call, "call.started", std::move(data));
}

NewEvent call_transferred(const Call& call, const std::string& user) {
  JsonWriter data;
  data.object()
      .member("callId", call.call_id)
      .member("fromOutbound", call.call_id)
      .member("fromPhone", call.phone)
      .member("toUser", user)
      .member("transferType", "outbound-to-user")
      .member("trunkId", call.trunk_id)
      .member("source", "outbound-ai")
      .end();
  return event_of(call, "call.transferred", std::move(data));
}

NewEvent outbound_finished(const Call& call, const Ending& ending, const TurnCounts& turns,
                           int64_t ended_ms) {
  JsonWriter data;
  data.object()
      .member("callId", call.call_id)
      .member("phone", call.phone)
      .member("displayName", call.display_name)
      .member("outcome", ending.outcome)
      .member("answered", call.answered_ms > 0)
      .member("talkSec", duration_sec(call, ended_ms))
      .member("trunk", call.trunk_id)
      .member("inputTurns", turns.input_turns)
      .member("outputTurns", turns.output_turns)
      .member("errorDetail", ending.error_detail)
      .member("sipStatus", ending.sip_status)
      .member("attempt", call.attempt)
      .member("retriesLeft", call.retries_left)
      .key("nextAttemptUtc");
  const int64_t next_ms = next_attempt_ms(call, ending, ended_ms);
  if (next_ms == 0) {
    data.null();
  } else {
    data.value(utc_text(next_ms));
  }
  data.end();
  return event_of(call, "outbound-ai.finished", std::move(data));
}

std::string finished_key(const Call& call) {
  return "outbound-ai.finished/" + call.call_id + "/" + std::to_string(call.attempt);
}

}  // namespace patchbay::ai_voice
