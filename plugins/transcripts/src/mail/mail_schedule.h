// The schedule of a message's attempts: after 1, 2, 4 ... minutes, at most an hour apart, for a day.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace patchbay::transcripts {

// When the attempt after `tries` failed ones is due; nothing when that would be more than a day after the
// message was made.
constexpr std::optional<int64_t> next_mail_ms(int64_t tries, int64_t created_ms, int64_t now_ms) {
  constexpr int64_t kMinuteMs = 60'000, kHourMs = 60 * kMinuteMs, kDayMs = 24 * kHourMs;
  const int64_t doublings = std::clamp<int64_t>(tries - 1, 0, 6);
  const int64_t due_ms = now_ms + std::min(kMinuteMs << doublings, kHourMs);
  if (due_ms > created_ms + kDayMs) return std::nullopt;
  return due_ms;
}

}  // namespace patchbay::transcripts
