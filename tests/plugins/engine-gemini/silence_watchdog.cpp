#include "silence_watchdog.h"

#include <doctest/doctest.h>

#include <vector>

using namespace patchbay::engine_gemini;

TEST_CASE("watchdog: a nudge, then a fresh session, then it gives up") {
  SilenceWatchdog dog;
  dog.call_answered(0);
  CHECK(dog.poll(5999, true) == SilenceAction::none);
  CHECK(dog.poll(6000, true) == SilenceAction::nudge);
  CHECK(dog.poll(13999, true) == SilenceAction::none);
  CHECK(dog.poll(14000, true) == SilenceAction::fresh_session);
  CHECK(dog.poll(22000, true) == SilenceAction::give_up);
  CHECK(dog.poll(90000, true) == SilenceAction::none);
}

TEST_CASE("watchdog: audible sound satisfies it, near silence does not") {
  std::vector<int16_t> loud(4800, 5000), quiet(4800, 20);
  SilenceWatchdog dog;
  dog.user_spoke(0);
  dog.audio(100, loud.data(), loud.size(), 24000);
  dog.turn_ended();
  CHECK(dog.poll(60000, true) == SilenceAction::none);
  for (int i = 0; i < 9; ++i) dog.audio(60000, quiet.data(), quiet.size(), 24000);
  CHECK(dog.poll(60000, true) == SilenceAction::none);
  dog.audio(60000, quiet.data(), quiet.size(), 24000);
  CHECK(dog.poll(60000, true) == SilenceAction::fresh_session);
}

TEST_CASE("watchdog: a turn without an end is ended when all of it was played") {
  std::vector<int16_t> loud(480, 5000);
  SilenceWatchdog dog;
  dog.audio(0, loud.data(), loud.size(), 24000);
  CHECK(dog.poll(50000, false) == SilenceAction::none);
  CHECK(dog.poll(20000, true) == SilenceAction::finish_turn);
  CHECK(dog.poll(60000, true) == SilenceAction::none);
  dog.audio(60000, loud.data(), loud.size(), 24000);
  dog.generated();
  CHECK(dog.poll(63000, true) == SilenceAction::finish_turn);
}

TEST_CASE("watchdog: a resumed session that is mute is replaced at once") {
  SilenceWatchdog dog;
  dog.resumed();
  dog.user_spoke(0);
  CHECK(dog.poll(8000, true) == SilenceAction::fresh_session);
}
