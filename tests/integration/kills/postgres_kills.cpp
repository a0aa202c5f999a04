// Kills all processes of PostgreSQL at random moments while a server writes to it and has calls.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <random>
#include <thread>

#include "invariant_checks.h"

using namespace kills;
using namespace std::chrono_literals;

namespace {

constexpr unsigned kKillSeed = 20261123;
constexpr int kCallsAKill = 3;

int postgres_kills() {
  const char* wanted = std::getenv("PATCHBAY_KILLS");
  return wanted != nullptr ? std::atoi(wanted) : 4;
}

}  // namespace

// PATCHBAY_KILLS sets the number of kills.
TEST_CASE(
    "a killed PostgreSQL loses nothing that its server acknowledged, and nothing that was refused is there") {
  if (!patchbay::test::on_postgres()) return;
  Environment environment;
  const auto server = environment.start();
  REQUIRE(server->wait_ready());
  Load load(kKillSeed, environment.receiver.url(""));
  std::thread clients([&] { load.run(*server, kCallsAKill * postgres_kills(), false); });
  std::mt19937 random(kKillSeed);
  const auto pause = [&](int most_ms) {
    std::this_thread::sleep_for(std::chrono::milliseconds(std::uniform_int_distribution(0, most_ms)(random)));
  };
  int64_t slowest_ms = 0;
  bool resumed = true;
  for (int i = 0; i < postgres_kills() && resumed; ++i) {
    pause(2000);
    environment.postgres->kill_all();
    pause(700);
    const auto resume = environment.postgres->resume();
    INFO((resume ? "" : resume.error().text));
    resumed = resume.ok();
    CHECK(resumed);
    const auto again = recovery_ms(*server, "+49301999" + std::to_string(100 + i));
    CHECK(again);
    slowest_ms = std::max(slowest_ms, again.value_or(0));
  }
  load.stop();
  clients.join();
  REQUIRE(resumed);
  MESSAGE(postgres_kills() << " kills, " << load.journal.numbers.size() << " numbers, "
                           << load.journal.refused.size() << " refused, " << load.journal.calls.size()
                           << " calls; slowest recovery " << slowest_ms << " ms");

  check_all(*server, environment, {&load});
}
