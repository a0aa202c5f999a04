#include "retry_schedule.h"

#include <doctest/doctest.h>

using namespace patchbay::webhooks;

TEST_CASE("attempts are due 0, 5, 35 and 155 s after the event") {
  CHECK(next_attempt_ms(1, 1000, 1000) == 6000);
  CHECK(next_attempt_ms(2, 6000, 6100) == 36000);
  CHECK(next_attempt_ms(3, 36000, 36000) == 156000);
  CHECK_FALSE(next_attempt_ms(4, 156000, 156000));
  CHECK_FALSE(next_attempt_ms(0, 0, 0));
}

TEST_CASE("an attempt after one that hung keeps to the schedule") {
  CHECK(next_attempt_ms(2, 5000, 10000) == 35000);
}

TEST_CASE("an attempt after a restart delays the rest of the schedule") {
  CHECK(next_attempt_ms(1, 0, 600'000) == 605'000);
  CHECK(next_attempt_ms(2, 5000, 605'000) == 635'000);
}
