#include "usage_meter.h"

namespace patchbay::engine_gemini {

void UsageMeter::add(const UsageReport& report) {
  if (report.prompt > 0) {
    snapshot_ = report;
    return;
  }
  deltas_.response += report.response;
  deltas_.total += report.total > 0 ? report.total : report.response;
  deltas_.thoughts += report.thoughts;
  deltas_.cached += report.cached;
  has_deltas_ = true;
}

std::optional<lib::Usage> UsageMeter::end_turn() {
  if (!snapshot_ && !has_deltas_) return std::nullopt;
  UsageReport turn = snapshot_.value_or(deltas_);
  snapshot_.reset();
  deltas_ = {};
  has_deltas_ = false;
  if (turn.total == 0) turn.total = turn.prompt + turn.response;
  return lib::Usage{turn.prompt, turn.response, turn.total, turn.thoughts, turn.cached, false};
}

}  // namespace patchbay::engine_gemini
