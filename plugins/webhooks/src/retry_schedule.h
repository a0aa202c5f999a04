// When the attempts of a delivery leave: 0, 5, 35 and 155 s after the event.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace patchbay::webhooks {

constexpr int kAttempts = 4;
constexpr int kFailuresToPause = 20;
constexpr int64_t kRequestTimeoutMs = 10'000;

// When the attempt after number `attempt` (1 to 4) is due; nothing after the last. It keeps to the plan made
// from the event's time also when an attempt took its full 10 s; an attempt that left later than that (a
// restart, a pause) moves the rest of the plan with it, so that a receiver always has its 155 s to recover.
constexpr std::optional<int64_t> next_attempt_ms(int attempt, int64_t due_ms, int64_t started_ms) {
  constexpr std::array<int64_t, kAttempts> kBackoffMs{5'000, 30'000, 120'000, 0};
  if (attempt < 1 || attempt >= kAttempts) return std::nullopt;
  const int64_t late_ms = started_ms - due_ms;
  return due_ms + kBackoffMs[static_cast<size_t>(attempt - 1)] + (late_ms > kRequestTimeoutMs ? late_ms : 0);
}

}  // namespace patchbay::webhooks
