// What an attempt's end makes of its call. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "calls/call.h"

namespace patchbay::ai_voice {

// How an attempt ended.
struct Ending {
  std::string outcome;       // outcome value of the specification
  std::string error_detail;  // not empty: a technical failure
  bool may_retry = false;    // as far as the ending goes

  static Ending talked(std::string_view outcome) { return {std::string(outcome), {}, false}; }
  static Ending no_answer(std::string_view detail = {}) { return {"no-answer", std::string(detail), true}; }
  // A technical failure, before or after the answer.
  static Ending failed(bool answered, std::string detail) {
    return answered ? Ending{"far-hangup", std::move(detail), false}
                    : Ending{"no-answer", std::move(detail), true};
  }
  static Ending refused(std::string detail) { return {"no-answer", std::move(detail), false}; }
  static Ending cancelled() { return {"cancelled", {}, false}; }
};

// The status after that attempt of `call`.
std::string_view status_after(const Call& call, const Ending& ending);

// From answer to end, in whole seconds; 0 without an answer.
int64_t duration_sec(const Call& call, int64_t ended_ms);

}  // namespace patchbay::ai_voice
