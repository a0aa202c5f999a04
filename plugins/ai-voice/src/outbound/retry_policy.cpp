#include "outbound/retry_policy.h"

namespace patchbay::ai_voice {

std::string_view status_after(const Call& call, const Ending& ending) {
  if (ending.outcome == "cancelled") return status::kCancelled;
  if (call.answered_ms > 0) return ending.failed ? status::kFailed : status::kSuccess;
  return ending.may_retry && call.retries_left > 0 ? status::kRetryPending : status::kFailed;
}

int64_t next_attempt_ms(const Call& call, const Ending& ending, int64_t ended_ms) {
  if (status_after(call, ending) != status::kRetryPending) return 0;
  return ended_ms + call.retry_delay_minutes * 60'000;
}

}  // namespace patchbay::ai_voice
