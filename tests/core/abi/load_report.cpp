#include "abi/load_report.h"

#include <doctest/doctest.h>

#include "host_harness.h"
#include "json/parse.h"
#include "runtime/manual_clock.h"
#include "runtime/media_pool.h"
#include "runtime/process_times.h"
#include "runtime/thread_waits.h"

using namespace abi_test;

TEST_CASE("late and skipped ticks are in the report of the load") {
  ManualClock clock;
  MediaOptions options;
  options.manual_clock = &clock;
  MediaPool media(options);
  ProcessTimes times;
  ThreadWaits waits;
  const auto number = [&](const char* name) {
    const auto report = json::parse(load_report(times, waits, media));
    REQUIRE(report.ok());
    const json::Node* value = report->root().find(name);
    REQUIRE(value != nullptr);
    return value->number();
  };
  CHECK(number("ticks") == 0);
  CHECK(number("cpuNs") > 0);
  CHECK(number("cores") > 0);
  CHECK(number("waitNs") >= 0);
  CHECK(number("runs") >= 0);
  REQUIRE(media.at(0).attach([](void*, uint64_t, int64_t) {}, nullptr) != 0);
  media.pump();
  clock.advance(std::chrono::milliseconds(20));
  media.pump();
  CHECK(number("ticks") == 1);
  CHECK(number("lateTicks") == 0);
  clock.advance(std::chrono::milliseconds(100));  // five are due: three run late, two never
  media.pump();
  CHECK(number("ticks") == 6);
  CHECK(number("lateTicks") == 5);
}

TEST_CASE("plugins read the load of the server from its host") {
  HostHarness host;
  std::string text;
  const auto sink = [](void* user, pb_str part) noexcept {
    static_cast<std::string*>(user)->append(from_abi(part));
  };
  CHECK(observe_table().report(&*host.one, to_abi("load"), sink, &text) == PB_OK);
  CHECK(text.find("\"cpuNs\":") != std::string::npos);
  CHECK(observe_table().report(&*host.one, to_abi("nothing"), sink, &text) == PB_E_NOT_FOUND);
}
