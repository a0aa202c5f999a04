#include "patchbay/utc.h"

#include <doctest/doctest.h>

#include <cstdio>
#include <string>

using patchbay::parse_utc;
using patchbay::utc_text;

TEST_CASE("times are written with milliseconds and a Z") {
  CHECK(utc_text(0) == "1970-01-01T00:00:00.000Z");
  CHECK(utc_text(1763620612007) == "2025-11-20T06:36:52.007Z");
  CHECK(utc_text(-1) == "1969-12-31T23:59:59.999Z");
  CHECK(utc_text(2147483648000) == "2038-01-19T03:14:08.000Z");
}

TEST_CASE("formatted times are parsed back") {
  for (const int64_t ms : {int64_t{0}, int64_t{1763620612007}, int64_t{-1}, int64_t{4102444799999},
                           int64_t{-62167219200000}, int64_t{253402300799999}})
    CHECK(parse_utc(utc_text(ms)) == ms);
}

TEST_CASE("common forms of ISO 8601 are parsed") {
  CHECK(parse_utc("2026-01-31") == 1769817600000);
  CHECK(parse_utc("2026-01-31T12:00") == 1769860800000);
  CHECK(parse_utc("2026-01-31 12:00:01z") == 1769860801000);
  CHECK(parse_utc("2026-01-31T12:00:01.5") == 1769860801500);
  CHECK(parse_utc("2026-01-31T12:00:01.1234567Z") == 1769860801123);
  CHECK(parse_utc("2026-01-31T13:00:00+01:00") == 1769860800000);
  CHECK(parse_utc("2026-01-31T10:30:00-0130") == 1769860800000);
  CHECK(parse_utc("2024-02-29") == 1709164800000);
}

TEST_CASE("text that is not a time is refused") {
  for (const std::string text : {"",
                                 "now",
                                 "2026",
                                 "2026-1-1",
                                 "2026-13-01",
                                 "2026-02-29",
                                 "2026-01-32",
                                 "2026-01-31T",
                                 "2026-01-31T24:00",
                                 "2026-01-31T12",
                                 "2026-01-31T12:60",
                                 "2026-01-31T12:00:60",
                                 "2026-01-31T12:00:00.",
                                 "2026-01-31T12:00:00ZZ",
                                 "2026-01-31T12:00:00+1",
                                 "2026-01-31T12:00:00+24:00",
                                 "2026-01-31Z",
                                 " 2026-01-31",
                                 "2026-01-31 ",
                                 "+2026-01-31",
                                 "0000-01-01T00:00:00+23:59",
                                 "9999-12-31T23:59:59-00:01",
                                 "1769860800"}) {
    INFO(text);
    CHECK_FALSE(parse_utc(text).has_value());
  }
}

TEST_CASE("every day from the year 0 to 9999 is the one after the day before") {
  constexpr int64_t kDayMs = 86'400'000;
  int year = 0, month = 1, day = 1;
  const auto days_of_month = [&] {
    const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return month == 2 ? (leap ? 29 : 28) : month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
  };
  int wrong = 0;
  for (int64_t ms = -62'167'219'200'000; ms <= 253'402'300'799'999; ms += kDayMs) {
    char date[48];
    std::snprintf(date, sizeof date, "%04d-%02d-%02d", year, month, day);
    wrong += utc_text(ms) == std::string(date) + "T00:00:00.000Z" && parse_utc(date) == ms ? 0 : 1;
    if (++day > days_of_month()) {
      day = 1;
      month = month % 12 + 1;
      year += month == 1 ? 1 : 0;
    }
  }
  CHECK(wrong == 0);
  CHECK(year == 10000);
}
