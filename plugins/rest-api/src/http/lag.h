// Measures how far a peer is behind the minimum rate (kMinOctetsPerSec), while the server waits for it
// to send or to read. Waiting adds to the lag; transferred octets and time without waiting reduce it. It is
// never negative, so a peer that stops after a burst lags at once. One thread.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "limits.h"

namespace patchbay::rest_api {

using Clock = std::chrono::steady_clock;

class Lag {
 public:
  // Starts a wait; no-op during one.
  void begin(Clock::time_point now) noexcept { set(of(now), now, true); }
  // Ends the wait.
  void end(Clock::time_point now) noexcept { set(of(now), now, false); }
  void take(uint64_t octets, Clock::time_point now) noexcept {
    const auto paid = std::chrono::milliseconds(static_cast<int64_t>(octets) * 1000 / kMinOctetsPerSec);
    set(std::max(Clock::duration::zero(), of(now) - paid), now, waiting_);
  }
  Clock::duration of(Clock::time_point now) const noexcept {
    return waiting_ ? lag_ + (now - at_) : std::max(Clock::duration::zero(), lag_ - (now - at_));
  }

 private:
  void set(Clock::duration lag, Clock::time_point now, bool waiting) noexcept {
    lag_ = lag;
    at_ = now;
    waiting_ = waiting;
  }

  Clock::duration lag_{};   // at at_
  Clock::time_point at_{};  // the last change
  bool waiting_ = false;
};

}  // namespace patchbay::rest_api
