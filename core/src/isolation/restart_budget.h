// RestartBudget: decides whether and when a plugin whose process has ended is restarted. Pure.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

namespace patchbay::core::isolation {

class RestartBudget {
 public:
  struct Limits {
    int64_t most = 0;  // restarts
    int64_t within_s = 0;
  };
  static constexpr int64_t kMinDelayMs = 50;
  static constexpr int64_t kMaxDelayMs = 1000;  // a restart is to be over within 2 s

  explicit RestartBudget(Limits limits) : limits_(limits) {}

  // Call when the process has ended, at `now_ms` (any clock). Returns how long to wait before the next start;
  // nullopt: the budget is used up.
  std::optional<int64_t> ended(int64_t now_ms);
  // Starts a fresh budget.
  void reset() { ends_.clear(); }
  const Limits& limits() const noexcept { return limits_; }

 private:
  static constexpr int64_t kDoublingMs = 10'000;  // within which each end doubles the wait

  const Limits limits_;
  std::deque<int64_t> ends_;  // that led to a restart, oldest first
};

}  // namespace patchbay::core::isolation
