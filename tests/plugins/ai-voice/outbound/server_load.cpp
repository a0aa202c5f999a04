#include "outbound/server_load.h"

#include <doctest/doctest.h>
#include <patchbay/testing/test_environment.h>

#include <ctime>

using namespace patchbay;
using namespace patchbay::ai_voice;

TEST_CASE("the host reports processor time, cores and ticks") {
  const testing::TestEnvironment environment;
  const ServerLoad load = ServerLoad::read(environment.host());
  CHECK(load.now_ns > 0);
  CHECK(load.cpu_ns > 0);
  CHECK(load.cores > 0);
  CHECK(load.cores < 10'000);
  timespec own{};
  REQUIRE(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own) == 0);
  CHECK(load.cpu_ns <= int64_t{own.tv_sec} * 1'000'000'000 + own.tv_nsec);
  CHECK(load.ticks >= load.late_ticks);
  CHECK(load.wait_ns >= 0);
  CHECK(load.runs >= 0);
  const ServerLoad later = ServerLoad::read(environment.host());
  CHECK(later.now_ns >= load.now_ns);
  CHECK(later.cpu_ns > load.cpu_ns);
}
