// StartRate: spaces the starts of each tenant's calls by its callsPerSecond, so that no second has more. Pure
// logic, of this process: the rate that several servers share is in the store (Scheduler::add_shared_limits).
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

namespace patchbay::ai_voice {

class StartRate {
 public:
  // Time between two starts; 0: no limit.
  static int64_t interval_ns(double per_second) noexcept {
    return per_second <= 0 ? 0 : static_cast<int64_t>(1e9 / per_second);
  }

  // How long until the tenant's next call may start; 0: now.
  int64_t wait_ns(const std::string& tenant, double per_second, int64_t now_ns) const {
    const auto at = next_ns_.find(tenant);
    return per_second <= 0 || at == next_ns_.end() ? 0 : std::max<int64_t>(0, at->second - now_ns);
  }
  // Counts a start now.
  void take(const std::string& tenant, double per_second, int64_t now_ns) {
    if (per_second <= 0) return;
    int64_t& next = next_ns_[tenant];
    next = std::max(next, now_ns) + interval_ns(per_second);
  }
  // The call was counted, but did not start.
  void give_back(const std::string& tenant, double per_second) {
    if (per_second > 0) next_ns_[tenant] -= interval_ns(per_second);
  }

 private:
  std::map<std::string, int64_t> next_ns_;  // monotonic clock; an entry for each tenant with a rate
};

}  // namespace patchbay::ai_voice
