#include "json/schema_format.h"

#include <patchbay/text.h>

#include <algorithm>
#include <cstddef>

namespace patchbay::core::json {
namespace {

// Reads a text from left to right. Once a part is missing, complete() stays false.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}

  void number(size_t digits, int min, int max) {
    int value = 0;
    if (rest_.size() < digits || !std::all_of(rest_.begin(), rest_.begin() + digits, is_digit)) return fail();
    for (char c : rest_.substr(0, digits)) value = value * 10 + (c - '0');
    rest_.remove_prefix(digits);
    last_ = value;
    if (value < min || value > max) fail();
  }
  void expect(std::string_view any_of) {
    if (!take(any_of)) fail();
  }
  bool take(std::string_view any_of) {
    if (rest_.empty() || any_of.find(rest_.front()) == std::string_view::npos) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void digits() {
    if (rest_.empty() || !is_digit(rest_.front())) return fail();
    while (!rest_.empty() && is_digit(rest_.front())) rest_.remove_prefix(1);
  }
  void fail() { good_ = false; }
  int last() const { return last_; }
  bool complete() const { return good_ && rest_.empty(); }

 private:
  std::string_view rest_;
  int last_ = 0;
  bool good_ = true;
};

constexpr int kDays[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

}  // namespace

bool is_uri(std::string_view text) noexcept {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == text.size() || !is_letter(text[0]))
    return false;
  const bool scheme = std::all_of(text.begin(), text.begin() + static_cast<ptrdiff_t>(colon), [](char c) {
    return is_alphanumeric(c) || c == '+' || c == '-' || c == '.';
  });
  return scheme && std::all_of(text.begin(), text.end(), [](char c) {
           return c > 0x20 && c < 0x7F && std::string_view("\"<>\\^`{|}").find(c) == std::string_view::npos;
         });
}

bool is_date_time(std::string_view text) noexcept {
  Cursor at(text);
  at.number(4, 0, 9999);
  at.expect("-");
  at.number(2, 1, 12);
  const int month = std::clamp(at.last(), 1, 12);
  at.expect("-");
  at.number(2, 1, kDays[month - 1]);
  at.expect("Tt ");
  at.number(2, 0, 23);
  at.expect(":");
  at.number(2, 0, 59);
  if (at.take(":")) {
    at.number(2, 0, 60);
    if (at.take(".,")) at.digits();
  }
  if (at.take("+-")) {
    at.number(2, 0, 23);
    at.take(":");
    at.number(2, 0, 59);
  } else {
    at.take("Zz");
  }
  return at.complete();
}

}  // namespace patchbay::core::json
