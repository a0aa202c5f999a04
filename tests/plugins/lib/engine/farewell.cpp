#include "engine/farewell.h"

#include <doctest/doctest.h>

using namespace patchbay::lib;

TEST_CASE("farewell: a silent turn does not count, a spoken and heard one does") {
  Farewell farewell;
  farewell.start(0);
  farewell.turn_complete();
  CHECK(!farewell.poll(300, true));
  farewell.audio();
  farewell.turn_complete();
  CHECK(!farewell.poll(3000, false));
  CHECK(farewell.poll(4000, true));
  CHECK(!farewell.poll(5000, true));
}

TEST_CASE("farewell: without sound after 5 s, at the latest after 15 s") {
  Farewell silent;
  silent.start(0);
  CHECK(!silent.poll(4999, true));
  CHECK(silent.poll(5000, true));
  Farewell endless;
  endless.start(0);
  endless.audio();
  CHECK(!endless.poll(14999, false));
  CHECK(endless.poll(15000, false));
}
