// Measures how far a peer lags behind the slowest pace the edge accepts, while the edge waits for its octets
// or for it to read ours. Waiting adds to the lag; octets take from it, and so does time without waiting.
// Neither makes it less than nothing, so a peer that stops after a burst lags at once. One thread.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace patchbay::rest_api {

using Clock = std::chrono::steady_clock;

class Lag {
 public:
  static constexpr int64_t kOctetsPerSec = 1024;

  // The wait begins; no-op during one.
  void begin(Clock::time_point now) noexcept { set(of(now), now, true); }
  // The wait ends.
  void end(Clock::time_point now) noexcept { set(of(now), now, false); }
  void take(uint64_t octets, Clock::time_point now) noexcept {
    const auto paid = std::chrono::milliseconds(static_cast<int64_t>(octets) * 1000 / kOctetsPerSec);
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
