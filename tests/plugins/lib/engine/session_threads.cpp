#include "engine/session_threads.h"

#include <doctest/doctest.h>

#include <chrono>
#include <future>
#include <vector>

#include "support/within.h"

using namespace patchbay::lib;

namespace {

constexpr std::chrono::seconds kMaxWait(40);

size_t open_session(SessionThreads& threads) {
  const auto chosen = threads.choose();
  REQUIRE(chosen);
  threads.opened(*chosen);
  return *chosen;
}

}  // namespace

TEST_CASE("another thread is started when each carries its share, up to the maximum") {
  IoThreads io("test", 3);
  SessionThreads threads(io, {});
  for (size_t i = 0; i < kSessionsPerThread; ++i) CHECK(open_session(threads) == 0);
  CHECK(io.size() == 1);
  for (size_t i = 0; i < kSessionsPerThread; ++i) CHECK(open_session(threads) == 1);
  for (size_t i = 0; i < kSessionsPerThread; ++i) CHECK(open_session(threads) == 2);
  CHECK(open_session(threads) == 0);
  CHECK(io.size() == 3);
}

TEST_CASE("a new session goes to the thread with the fewest") {
  IoThreads io("test", 2);
  SessionThreads threads(io, {});
  for (size_t i = 0; i < 2 * kSessionsPerThread; ++i) open_session(threads);
  threads.closed(1);
  threads.closed(0);
  threads.closed(0);
  CHECK(open_session(threads) == 0);
  threads.closed(0);
  threads.closed(0);
  for (size_t i = 0; i < 3; ++i) CHECK(open_session(threads) == 0);
}

TEST_CASE("a stuck thread is reported once, gets no session, and is given up after a longer time") {
  IoThreads io("test", 2);
  SessionThreads threads(io, {.poll_ms = 10, .stall_ms = 100, .give_up_ms = 300, .stop_ms = 1});
  CHECK(open_session(threads) == 0);
  std::promise<void> held;
  io[0].post([wait = held.get_future().share()] { wait.wait(); });
  std::vector<SessionThreads::Stall> changes;
  SessionThreads::Check last;
  const auto check = [&] {
    last = threads.check();
    changes.insert(changes.end(), last.changes.begin(), last.changes.end());
  };
  CHECK(within(kMaxWait, [&] { return check(), !last.given_up.empty(); }));
  CHECK(last.given_up == std::vector<size_t>{0});
  CHECK(last.lag_ms >= 300);
  REQUIRE(changes.size() == 1);
  CHECK(changes[0].thread == 0);
  CHECK(changes[0].stuck);
  CHECK(changes[0].sessions == 1);
  CHECK(open_session(threads) == 1);
  CHECK(open_session(threads) == 1);
  held.set_value();
  CHECK(within(kMaxWait, [&] { return check(), changes.size() == 2; }));
  CHECK_FALSE(changes[1].stuck);
  CHECK(last.given_up.empty());
  CHECK(open_session(threads) == 0);
}

TEST_CASE("without a thread that responds there is none for a session") {
  IoThreads io("test", 1);
  SessionThreads threads(io, {.poll_ms = 10, .stall_ms = 100, .give_up_ms = 300, .stop_ms = 1});
  std::promise<void> held;
  io[0].post([wait = held.get_future().share()] { wait.wait(); });
  CHECK(within(kMaxWait, [&] { return threads.check(), !threads.choose(); }));
  held.set_value();
  CHECK(within(kMaxWait, [&] { return threads.check(), threads.choose().has_value(); }));
}
