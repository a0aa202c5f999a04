#include "utc_text.h"

#include <doctest/doctest.h>

using patchbay::identity::utc_text;

TEST_CASE("times are written in UTC with milliseconds") {
  CHECK(utc_text(0) == "1970-01-01T00:00:00.000Z");
  CHECK(utc_text(1'795'163'700'042) == "2026-11-20T08:35:00.042Z");
}
