// What an attempt's end makes of its call. Pure; any thread.
#pragma once

#include <patchbay/services/telephony.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "outbound/call.h"

namespace patchbay::ai_voice {

// How an attempt ended.
struct Ending {
  std::string outcome;       // outcome value of the specification
  std::string error_detail;  // why, as a sentence for a person; "" for an ordinary end
  bool may_retry = false;    // as far as the ending goes
  bool failed = false;       // for a technical reason
  int64_t sip_status = 0;    // the last final one; 0: none

  static Ending talked(std::string_view outcome) { return {std::string(outcome), {}, false, false, 0}; }
  // Before the answer.
  static Ending no_answer(std::string detail, bool may_retry = true) {
    return {"no-answer", std::move(detail), may_retry, false, 0};
  }
  // A technical failure, before or after the answer.
  static Ending technical(bool answered, std::string detail) {
    return {answered ? "far-hangup" : "no-answer", std::move(detail), !answered, true, 0};
  }
  static Ending refused(std::string detail) { return no_answer(std::move(detail), false); }
  static Ending cancelled() { return {"cancelled", {}, false, false, 0}; }
};

// What the end of the leg makes of the attempt. `farewell`: the outcome of the tool after which the AI said
// goodbye; "": none.
Ending ending_of(const telephony::Ended& ended, bool answered, std::string_view farewell);

// The status after that attempt of `call`.
std::string_view status_after(const Call& call, const Ending& ending);

// When the call is dialled again after that attempt; 0: it is not.
int64_t next_attempt_ms(const Call& call, const Ending& ending, int64_t ended_ms);

// From answer to end, in whole seconds; 0 without an answer.
int64_t duration_sec(const Call& call, int64_t ended_ms);

}  // namespace patchbay::ai_voice
