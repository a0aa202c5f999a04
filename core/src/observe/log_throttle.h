// Keeps a flood of equal events from becoming a flood of lines: one per key and interval. Thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace patchbay::core::observe {

class LogThrottle {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // Of more than `max_keys` keys at a time, the further ones share one line per interval.
  explicit LogThrottle(std::chrono::nanoseconds interval, size_t max_keys = 1024)
      : interval_(interval), max_keys_(max_keys) {}

  // How many events of this key were kept back since its last line, when it may have another now; nothing
  // when not.
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
