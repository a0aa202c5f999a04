// The two clocks, separate on purpose: the wall clock may jump, the monotonic one never does.
#pragma once

#include <cstdint>

namespace patchbay::core {

class WallClock {
 public:
  virtual ~WallClock() = default;
  // [any] Milliseconds since 1970-01-01 UTC.
  virtual int64_t now_ms() const noexcept = 0;
};

class MonoClock {
 public:
  virtual ~MonoClock() = default;
  // [any] Nanoseconds since an unspecified start.
  virtual int64_t now_ns() const noexcept = 0;
};

// CLOCK_REALTIME and CLOCK_MONOTONIC.
const WallClock& system_wall_clock() noexcept;
const MonoClock& system_mono_clock() noexcept;

}  // namespace patchbay::core
