#include "http/handler_watch.h"

#include <doctest/doctest.h>

#include <atomic>

#include "support/within.h"

using patchbay::rest_api::Clock;
using patchbay::rest_api::HandlerWatch;
using namespace std::chrono_literals;

TEST_CASE("handler calls are checked while a server thread has connections, and not after stop()") {
  std::atomic<int> checks{0};
  HandlerWatch watch([&](Clock::time_point) { ++checks; });
  watch.begin();
  CHECK(within(60s, [&] { return checks >= 2; }));
  watch.end();
  watch.begin();
  const int before = checks;
  CHECK(within(60s, [&] { return checks > before; }));
  watch.stop();
  const int at_stop = checks;
  watch.end();
  watch.begin();
  watch.stop();
  CHECK(checks == at_stop);
}
