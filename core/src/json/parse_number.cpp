#include "json/parse_number.h"

#include <algorithm>
#include <charconv>

#ifndef __cpp_lib_to_chars
#include <stdlib.h>

#include <cerrno>
#include <clocale>
#include <cmath>
#include <string>
#endif

namespace patchbay::core::json {
namespace {

// Whether a number outside of a double's range is too small rather than too large: looks at the position of
// its first digit other than 0.
bool is_tiny(std::string_view text) noexcept {
  if (text.front() == '-') text.remove_prefix(1);
  const size_t e = text.find_first_of("eE");
  const std::string_view digits = text.substr(0, e);
  const size_t first = digits.find_first_of("123456789");
  const size_t point = std::min(digits.find('.'), digits.size());
  int exponent = 0;
  if (e != std::string_view::npos) {
    text.remove_prefix(e + (text[e + 1] == '+' ? 2 : 1));
    std::from_chars(text.data(), text.data() + text.size(), exponent);
  }
  return exponent + static_cast<int>(point) - static_cast<int>(first) < 0;
}

// `text` is a JSON number. False: beyond a double's range.
bool read_double(std::string_view text, double& number) {
#ifdef __cpp_lib_to_chars
  return std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc();
#else  // libc++ has no from_chars for double yet
  static const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);
  errno = 0;
  number = strtod_l(std::string(text).c_str(), nullptr, plain);
  return errno != ERANGE || (number != 0 && std::isfinite(number));
#endif
}

}  // namespace

bool add_number(Builder& builder, std::string_view text) {
  const char* end = text.data() + text.size();
  int64_t integer = 0;
  const auto whole = std::from_chars(text.data(), end, integer);
  if (whole.ec == std::errc() && whole.ptr == end) return builder.integer(integer), true;
  double number = 0;
  if (read_double(text, number)) return builder.number(number), true;
  if (!is_tiny(text)) return false;
  return builder.number(0), true;
}

}  // namespace patchbay::core::json
