// The two clocks. They are separate types because the wall clock can jump and the monotonic clock cannot.
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
