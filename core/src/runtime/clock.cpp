#include "runtime/clock.h"

#include <ctime>

namespace patchbay::core {
namespace {

timespec read_clock(clockid_t id) noexcept {
  timespec now{};
  clock_gettime(id, &now);
  return now;
}

class SystemWallClock final : public WallClock {
 public:
  int64_t now_ms() const noexcept override {
    const timespec now = read_clock(CLOCK_REALTIME);
    return int64_t(now.tv_sec) * 1000 + now.tv_nsec / 1'000'000;
  }
};

class SystemMonoClock final : public MonoClock {
 public:
  int64_t now_ns() const noexcept override {
    const timespec now = read_clock(CLOCK_MONOTONIC);
    return int64_t(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
  }
};

}  // namespace

// Neither is ever freed, because a thread that hangs in a plugin may outlive main().
const WallClock& system_wall_clock() noexcept {
  static const auto* const clock = new SystemWallClock;
  return *clock;
}

const MonoClock& system_mono_clock() noexcept {
  static const auto* const clock = new SystemMonoClock;
  return *clock;
}

}  // namespace patchbay::core
