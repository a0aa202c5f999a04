// Times as text (ISO 8601), as the server's API has them. Pure functions, any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace patchbay {
namespace detail {

// A day of the proleptic Gregorian calendar; months and days count from 1. The conversions count days since
// 1970-01-01, within years that begin with March, so that the leap day is the last of its year.
struct CalendarDay {
  int64_t year;
  unsigned month, day;
};

constexpr int64_t days_of(const CalendarDay& date) noexcept {
  const int64_t year = date.month <= 2 ? date.year - 1 : date.year;
  const int64_t era = (year >= 0 ? year : year - 399) / 400;
  const int64_t of_era = year - era * 400;
  const int64_t of_year = (153 * (date.month > 2 ? date.month - 3 : date.month + 9) + 2) / 5 + date.day - 1;
  return era * 146'097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719'468;
}

constexpr CalendarDay day_of(int64_t days) noexcept {
  days += 719'468;
  const int64_t era = (days >= 0 ? days : days - 146'096) / 146'097;
  const int64_t of_era = days - era * 146'097;
  const int64_t year = (of_era - of_era / 1460 + of_era / 36'524 - of_era / 146'096) / 365;
  const int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
  const int64_t month = (5 * of_year + 2) / 153;  // from March
  return {year + era * 400 + (month >= 10 ? 1 : 0), static_cast<unsigned>(month < 10 ? month + 3 : month - 9),
          static_cast<unsigned>(of_year - (153 * month + 2) / 5 + 1)};
}

// Consumes the parts of a time from the front of a text.
class TimeScanner {
 public:
  explicit TimeScanner(std::string_view text) : rest_(text) {}

  bool done() const { return rest_.empty(); }
  bool take(std::string_view any_of) {
    if (rest_.empty() || any_of.find(rest_.front()) == std::string_view::npos) return false;
    last_ = rest_.front();
    rest_.remove_prefix(1);
    return true;
  }
  bool date(int64_t& ms) {
    int year = 0, month = 0, day = 0;
    if (!digits(4, year) || !take("-") || !digits(2, month) || !take("-") || !digits(2, day)) return false;
    const CalendarDay written{year, static_cast<unsigned>(month), static_cast<unsigned>(day)};
    if (month < 1 || month > 12 || day < 1 || day > 31) return false;
    if (day_of(days_of(written)).month != written.month) return false;  // no such day
    ms = days_of(written) * 86'400'000;
    return true;
  }
  bool time(int64_t& ms) {
    int hour = 0, minute = 0, second = 0;
    if (!digits(2, hour) || !take(":") || !digits(2, minute)) return false;
    const bool has_second = take(":");
    if (has_second && !digits(2, second)) return false;
    if (hour > 23 || minute > 59 || second > 59) return false;
    ms += (int64_t{hour} * 3600 + int64_t{minute} * 60 + second) * 1000;
    return !has_second || !take(".,") || fraction(ms);
  }
  bool zone(int64_t& ms) {
    if (take("Zz")) return true;
    if (!take("+-")) return done();
    const int64_t sign = last_ == '+' ? 1 : -1;
    int hour = 0, minute = 0;
    if (!digits(2, hour)) return false;
    take(":");
    if (!digits(2, minute) || hour > 23 || minute > 59) return false;
    ms -= sign * (int64_t{hour} * 60 + minute) * 60'000;
    return true;
  }

 private:
  bool digits(size_t count, int& value) {
    value = 0;
    for (size_t i = 0; i < count; ++i) {
      if (!take("0123456789")) return false;
      value = value * 10 + (last_ - '0');
    }
    return true;
  }
  // Reads any number of digits; only the first three count.
  bool fraction(int64_t& ms) {
    int64_t unit = 100;
    if (!take("0123456789")) return false;
    do {
      ms += (last_ - '0') * unit;
      unit /= 10;
    } while (take("0123456789"));
    return true;
  }

  std::string_view rest_;
  char last_ = 0;
};

}  // namespace detail

// Formats "2026-11-20T06:36:52.007Z". `ms`: milliseconds since 1970, within the years 0 to 9999.
inline std::string utc_text(int64_t ms) {
  constexpr int64_t kDayMs = 86'400'000;
  const int64_t days = (ms >= 0 ? ms : ms - kDayMs + 1) / kDayMs;
  const detail::CalendarDay date = detail::day_of(days);
  const auto left = static_cast<unsigned>(ms - days * kDayMs);
  std::string text = "0000-00-00T00:00:00.000Z";
  const auto write = [&text](size_t last, unsigned value) {  // the digit at `last` and those before it
    for (; value > 0; value /= 10) text[last--] = static_cast<char>('0' + value % 10);
  };
  write(3, static_cast<unsigned>(date.year) % 10'000);
  write(6, date.month), write(9, date.day);
  write(12, left / 3'600'000), write(15, left / 60'000 % 60), write(18, left / 1000 % 60);
  write(22, left % 1000);
  return text;
}

// Parses "2026-11-20", or "2026-11-20T06:36" with optional seconds, fraction (truncated to milliseconds) and
// zone ("Z" or "+01:00", default UTC). Also accepts "t", "z" and a blank for "T". Returns nullopt for
// anything else, including dates that do not exist.
inline std::optional<int64_t> parse_utc(std::string_view text) {
  constexpr int64_t kFirstMs = -62'167'219'200'000;  // 0000-01-01T00:00:00.000Z
  constexpr int64_t kLastMs = 253'402'300'799'999;   // 9999-12-31T23:59:59.999Z
  detail::TimeScanner in(text);
  int64_t ms = 0;
  if (!in.date(ms)) return std::nullopt;
  if (in.done()) return ms;
  if (!in.take("Tt ") || !in.time(ms) || !in.zone(ms) || !in.done()) return std::nullopt;
  if (ms < kFirstMs || ms > kLastMs) return std::nullopt;  // an offset led out of the four-digit years
  return ms;
}

}  // namespace patchbay
