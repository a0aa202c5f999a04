#include "observe/log_throttle.h"

namespace patchbay::core::observe {

void LogThrottle::remove_expired(Time now) {
  for (auto it = states_.begin(); it != states_.end();)
    it = now - it->second.last >= interval_ && it->second.suppressed == 0 ? states_.erase(it) : std::next(it);
}

std::optional<uint64_t> LogThrottle::pass(std::string_view key, Time now) {
  const std::lock_guard lock(mutex_);
  std::string name(key);
  auto found = states_.find(name);
  if (found == states_.end() && states_.size() >= max_keys_) {
    remove_expired(now);
    if (states_.size() >= max_keys_) found = states_.find(name = "\x01others");
  }
  if (found == states_.end()) {
    states_.emplace(std::move(name), State{now, 0});
    return 0;
  }
  State& state = found->second;
  if (now - state.last < interval_) {
    ++state.suppressed;
    return std::nullopt;
  }
  const uint64_t suppressed = state.suppressed;
  state = {now, 0};
  return suppressed;
}

}  // namespace patchbay::core::observe
