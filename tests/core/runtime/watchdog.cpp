#include "runtime/watchdog.h"

#include <doctest/doctest.h>

#include <chrono>
#include <future>
#include <string>
#include <vector>

#include "runtime/executor.h"

using namespace patchbay::core;
using namespace std::chrono_literals;

TEST_CASE("A task that holds its strand too long is reported once with its owner") {
  std::vector<std::string> reports;
  ExecutorOptions options;
  options.threads = 2;
  options.stall_ms = 5000;
  options.watchdog_thread = false;
  options.stall_user = &reports;
  options.on_stall = [](void* user, const StallReport& report) {
    static_cast<std::vector<std::string>*>(user)->push_back(
        std::string(report.owner) + "/" + std::string(report.strand) + " " + std::to_string(report.ms));
  };
  Executor executor(options);
  const auto strand = Strand::create(executor, "ai-voice", "call-1");
  std::promise<void> running;
  std::promise<void> release;
  strand->post([&] {
    running.set_value();
    release.get_future().wait();
  });
  running.get_future().wait();
  auto& watchdog = *executor.watchdog();
  watchdog.check(0);
  watchdog.check(4'999'000'000);
  CHECK(reports.empty());
  watchdog.check(5'100'000'000);
  watchdog.check(9'000'000'000);
  CHECK(reports == std::vector<std::string>{"ai-voice/call-1 5100"});
  release.set_value();
  REQUIRE(executor.wait_idle(60s));
  watchdog.check(20'000'000'000);
  CHECK(reports.size() == 1);
}

TEST_CASE("The watchdog's own thread reports too") {
  std::promise<void> reported;
  ExecutorOptions options;
  options.stall_ms = 20;
  options.stall_user = &reported;
  options.on_stall = [](void* user, const StallReport&) {
    static_cast<std::promise<void>*>(user)->set_value();
  };
  Executor executor(options);
  const auto strand = Strand::create(executor, "test", "stall");
  std::future_status status = std::future_status::deferred;
  strand->post([&] { status = reported.get_future().wait_for(60s); });
  REQUIRE(executor.wait_idle(90s));
  CHECK(status == std::future_status::ready);
}
