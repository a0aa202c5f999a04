#include "utc/utc.h"

#include <chrono>
#include <cstdio>

namespace patchbay::lib {
namespace {

using std::chrono::sys_days;

constexpr int64_t kFirstMs = -62'167'219'200'000;  // 0000-01-01T00:00:00.000Z
constexpr int64_t kLastMs = 253'402'300'799'999;   // 9999-12-31T23:59:59.999Z

// Consumes digits and separators from the front of a text.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}
  bool done() const { return rest_.empty(); }
  bool take(std::string_view any_of) {
    if (rest_.empty() || any_of.find(rest_.front()) == std::string_view::npos) return false;
    last_ = rest_.front();
    rest_.remove_prefix(1);
    return true;
  }
  char last() const { return last_; }
  bool digits(size_t count, int& value) {
    value = 0;
    for (size_t i = 0; i < count; ++i) {
      if (!take("0123456789")) return false;
      value = value * 10 + (last_ - '0');
    }
    return true;
  }

 private:
  std::string_view rest_;
  char last_ = 0;
};

bool take_date(Scanner& in, int64_t& ms) {
  int year = 0, month = 0, day = 0;
  if (!in.digits(4, year) || !in.take("-") || !in.digits(2, month) || !in.take("-") || !in.digits(2, day))
    return false;
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return false;
  ms = int64_t{sys_days(date).time_since_epoch().count()} * 86'400'000;
  return true;
}

// Reads any number of digits; only the first three count.
bool take_fraction(Scanner& in, int64_t& ms) {
  int64_t unit = 100;
  if (!in.take("0123456789")) return false;
  do {
    ms += (in.last() - '0') * unit;
    unit /= 10;
  } while (in.take("0123456789"));
  return true;
}

bool take_time(Scanner& in, int64_t& ms) {
  int hour = 0, minute = 0, second = 0;
  if (!in.digits(2, hour) || !in.take(":") || !in.digits(2, minute)) return false;
  const bool has_second = in.take(":");
  if (has_second && !in.digits(2, second)) return false;
  if (hour > 23 || minute > 59 || second > 59) return false;
  ms += (int64_t{hour} * 3600 + int64_t{minute} * 60 + second) * 1000;
  return !has_second || !in.take(".,") || take_fraction(in, ms);
}

bool take_zone(Scanner& in, int64_t& ms) {
  if (in.take("Zz")) return true;
  if (!in.take("+-")) return in.done();
  const int64_t sign = in.last() == '+' ? 1 : -1;
  int hour = 0, minute = 0;
  if (!in.digits(2, hour)) return false;
  in.take(":");
  if (!in.digits(2, minute) || hour > 23 || minute > 59) return false;
  ms -= sign * (int64_t{hour} * 60 + minute) * 60'000;
  return true;
}

}  // namespace

std::string utc_text(int64_t ms) {
  const std::chrono::sys_time<std::chrono::milliseconds> time{std::chrono::milliseconds(ms)};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date{day};
  const auto left = static_cast<int>((time - day).count());
  char text[48];
  std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), left / 3'600'000,
                left / 60'000 % 60, left / 1000 % 60, left % 1000);
  return text;
}

std::optional<int64_t> parse_utc(std::string_view text) {
  Scanner in(text);
  int64_t ms = 0;
  if (!take_date(in, ms)) return std::nullopt;
  if (in.done()) return ms;
  if (!in.take("Tt ") || !take_time(in, ms) || !take_zone(in, ms) || !in.done()) return std::nullopt;
  if (ms < kFirstMs || ms > kLastMs) return std::nullopt;  // an offset led out of the four-digit years
  return ms;
}

}  // namespace patchbay::lib
