// The schedule of the attempts of a delivery: 0, 5, 35 and 155 s after the event.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "webhook_limits.h"

namespace patchbay::webhooks {

constexpr int kMaxAttempts = 4;

// When the attempt after number `attempt` (1 to 4) is due; nothing after the last. Follows the schedule of
// the event's time when an attempt took up to kRequestTimeoutMs. An attempt that began later than that (after
// a restart or a pause) delays the following ones as much, so that a receiver always has 155 s to recover.
constexpr std::optional<int64_t> next_attempt_ms(int attempt, int64_t due_ms, int64_t started_ms) {
  constexpr std::array<int64_t, kMaxAttempts> kBackoffMs{5'000, 30'000, 120'000, 0};
  if (attempt < 1 || attempt >= kMaxAttempts) return std::nullopt;
  const int64_t late_ms = started_ms - due_ms;
  return due_ms + kBackoffMs[static_cast<size_t>(attempt - 1)] + (late_ms > kRequestTimeoutMs ? late_ms : 0);
}

}  // namespace patchbay::webhooks
