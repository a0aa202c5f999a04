#include "runtime/timer_thread.h"

#include <doctest/doctest.h>

#include <chrono>
#include <future>

#include "runtime/clock.h"
#include "runtime/runtime.h"

using namespace patchbay::core;
using namespace std::chrono_literals;

namespace {

void fulfil(void* user) {
  static_cast<std::promise<int64_t>*>(user)->set_value(system_mono_clock().now_ns());
}

}  // namespace

TEST_CASE("Timers of both real clocks fire, and not early") {
  std::promise<int64_t> mono;  // set by the runtime, which must be destroyed first
  std::promise<int64_t> wall;
  auto runtime = Runtime::create().value_or(nullptr);
  REQUIRE(runtime);
  const auto strand = Strand::create(runtime->executor(), "test", "timers");
  auto mono_at = mono.get_future();
  auto wall_at = wall.get_future();
  const int64_t due = runtime->mono_clock().now_ns() + 30'000'000;
  runtime->timers().arm(TimerClock::wall, runtime->wall_clock().now_ms() + 50, *strand, fulfil, &wall);
  runtime->timers().arm(TimerClock::mono, due, *strand, fulfil, &mono);
  REQUIRE(mono_at.wait_for(60s) == std::future_status::ready);
  CHECK(mono_at.get() >= due);
  CHECK(wall_at.wait_for(60s) == std::future_status::ready);
}

TEST_CASE("A runtime can be destroyed while timers are armed and strands arm more") {
  for (int round = 0; round < 20; ++round) {
    auto runtime = Runtime::create().value_or(nullptr);
    REQUIRE(runtime);
    const auto strand = Strand::create(runtime->executor(), "test", "timers");
    for (int i = 0; i < 20; ++i)
      strand->post([&] {
        runtime->timers().arm(
            TimerClock::mono, 0, *strand, [](void*) {}, nullptr);
        runtime->timers().arm(
            TimerClock::mono, INT64_MAX, *strand, [](void*) {}, nullptr);
      });
    runtime->wait_idle(60s);
  }
}
