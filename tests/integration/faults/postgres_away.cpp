// PostgreSQL away, or standing still: requests that need it are refused, the call that is up continues, and
// the server recovers by itself. PATCHBAY_OUTAGE_SEC sets how long.
#include <doctest/doctest.h>

#include <thread>

#include "fault_checks.h"

using namespace faults;

TEST_CASE("a server whose PostgreSQL is away refuses requests, continues a call and recovers") {
  if (!patchbay::test::on_postgres()) return;
  FaultyServer faulty(true);
  faulty.start_call();
  faulty.environment.postgres->crash();
  const auto end = std::chrono::steady_clock::now() + outage();
  REQUIRE(faulty.write_until_refused());
  do {
    faulty.check_refused();
    faulty.check_call_is_up();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  } while (std::chrono::steady_clock::now() < end);
  REQUIRE(faulty.environment.postgres->resume().ok());
  check_recovery(*faulty.server, "PostgreSQL started again");
  faulty.check_reads();
  faulty.finish();
}

TEST_CASE("a server whose PostgreSQL stands still refuses requests, continues a call and recovers") {
  if (!patchbay::test::on_postgres()) return;
  FaultyServer faulty(true);
  faulty.start_call();
  faulty.environment.postgres->freeze();
  std::thread writer([&] { faulty.write_meanwhile(outage()); });
  const auto end = std::chrono::steady_clock::now() + outage();
  while (std::chrono::steady_clock::now() < end) {
    faulty.check_call_is_up();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  faulty.environment.postgres->thaw();
  writer.join();
  check_recovery(*faulty.server, "PostgreSQL goes on");
  faulty.check_reads();
  faulty.finish();
}
