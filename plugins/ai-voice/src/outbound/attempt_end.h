// How an attempt ended, from what telephony reports. Pure; any thread.
#pragma once

#include <patchbay/services/telephony.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "outbound/call.h"

namespace patchbay::ai_voice {

// How an attempt ended.
struct Ending {
  std::string outcome;       // as in the specification
  std::string error_detail;  // the reason, as a sentence; "" for an ordinary end
  bool may_retry = false;    // retry, if the call has retries left
  bool failed = false;       // for a technical reason
  int64_t sip_status = 0;    // the last final response; 0: none

  static Ending completed(std::string_view outcome) { return {std::string(outcome), {}, false, false, 0}; }
  // The call was not answered.
  static Ending no_answer(std::string detail, bool may_retry = true) {
    return {"no-answer", std::move(detail), may_retry, false, 0};
  }
  // A technical failure, before or after an answer.
  static Ending technical(bool answered, std::string detail) {
    return {answered ? "far-hangup" : "no-answer", std::move(detail), !answered, true, 0};
  }
  static Ending refused(std::string detail) { return no_answer(std::move(detail), false); }
  static Ending cancelled() { return {"cancelled", {}, false, false, 0}; }
};

// Returns how the end of the leg ends the attempt. `farewell`: the outcome of the tool that made the AI say
// goodbye; "": none.
Ending ending_of_leg(const telephony::Ended& ended, bool answered, std::string_view farewell);

// Returns the time from answer to end in whole seconds; 0 without an answer.
int64_t duration_sec(const Call& call, int64_t ended_ms);

}  // namespace patchbay::ai_voice
