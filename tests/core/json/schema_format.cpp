#include "json/schema_format.h"

#include <doctest/doctest.h>

using namespace patchbay::core;

TEST_CASE("URIs need a scheme and no spaces") {
  for (const char* good : {"https://example.com/a?b=c", "sip:+4930@example.com", "urn:x"})
    CHECK(json::is_uri(good));
  for (const char* bad :
       {"", "example.com", ":x", "http:", "1http:x", "http://a b", "http://a\n", "http://\xC3\xA9"})
    CHECK_FALSE(json::is_uri(bad));
}

TEST_CASE("dates and times must be valid") {
  for (const char* good : {"2026-11-20T06:30", "2026-11-20T06:30:00Z", "2026-02-29T23:59:60.123+01:00",
                           "2026-11-20T06:30:00,5-0530", "2026-11-20 06:30:00"})
    CHECK(json::is_date_time(good));
  for (const char* bad :
       {"", "2026-11-20", "2026-13-01T00:00", "2026-02-30T00:00", "2026-11-20T24:00",
        "2026-11-20T06:30:", "2026-11-20T06:30:00.Z", "2026-11-20T06:30:00Zx", "2026-11-20T06:30:00+1"})
    CHECK_FALSE(json::is_date_time(bad));
}
