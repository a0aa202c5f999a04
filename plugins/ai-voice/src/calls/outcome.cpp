#include "calls/outcome.h"

#include <algorithm>

namespace patchbay::ai_voice {

std::string_view status_after(const Call& call, const Ending& ending) {
  if (ending.outcome == "cancelled") return status::kCancelled;
  if (call.answered_ms > 0) return ending.error_detail.empty() ? status::kSuccess : status::kFailed;
  return ending.may_retry && call.retries_left > 0 ? status::kRetryPending : status::kFailed;
}

int64_t duration_sec(const Call& call, int64_t ended_ms) {
  if (call.answered_ms == 0) return 0;
  return std::max<int64_t>(0, (ended_ms - call.answered_ms) / 1000);
}

}  // namespace patchbay::ai_voice
