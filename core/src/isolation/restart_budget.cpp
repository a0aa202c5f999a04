#include "isolation/restart_budget.h"

#include <algorithm>

namespace patchbay::core::isolation {

std::optional<int64_t> RestartBudget::ended(int64_t now_ms) {
  while (!ends_.empty() && ends_.front() <= now_ms - limits_.within_s * 1000) ends_.pop_front();
  if (static_cast<int64_t>(ends_.size()) >= limits_.most) return std::nullopt;
  int64_t delay = kMinDelayMs;
  for (const int64_t end : ends_) {
    if (end > now_ms - kDoublingMs) delay = std::min(2 * delay, kMaxDelayMs);
  }
  ends_.push_back(now_ms);
  return delay;
}

}  // namespace patchbay::core::isolation
