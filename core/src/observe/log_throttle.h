// Throttles repeated log lines: one per key and interval. Thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "observe/limits.h"

namespace patchbay::core::observe {

class LogThrottle {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // Keeps track of `max_keys` keys at a time; further keys share one line per interval.
  explicit LogThrottle(std::chrono::nanoseconds interval, size_t max_keys = kMaxThrottledKeys)
      : interval_(interval), max_keys_(max_keys) {}

  // If the key may have a line now, returns how many of its events were suppressed since its last line;
  // otherwise suppresses this one and returns nothing.
  std::optional<uint64_t> pass(std::string_view key, Time now = std::chrono::steady_clock::now());

 private:
  struct State {
    Time last;
    uint64_t suppressed;
  };
  void remove_expired(Time now);

  const std::chrono::nanoseconds interval_;
  const size_t max_keys_;
  std::mutex mutex_;
  std::unordered_map<std::string, State> states_;
};

}  // namespace patchbay::core::observe
