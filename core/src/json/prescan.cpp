#include "json/prescan.h"

#include <patchbay/json_string.h>
#include <patchbay/text.h>

#include <cstring>

#include "json/limits.h"

namespace patchbay::core::json {
namespace {

// RapidJSON 1.1.0 keeps the exponent in an int and indexes a table by it. No double needs more digits.
constexpr size_t kExponentDigits = 4;

bool in_number(char c) noexcept {
  return is_digit(c) || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E';
}

const char* check_number(std::string_view number) noexcept {
  if (number.size() > kMaxNumberCharacters) return "a number is too long";
  const size_t e = number.find_first_of("eE");
  if (e == std::string_view::npos) return nullptr;
  size_t digits = 0;
  for (char c : number.substr(e + 1))
    if (is_digit(c) && (c != '0' || digits > 0)) ++digits;
  return digits > kExponentDigits ? "a number is out of range" : nullptr;
}

// The offset after the closing quote of the string that opens at `at`, or the end of the text.
size_t skip_string(std::string_view text, size_t at) noexcept {
  for (++at; (at = end_of_plain_json(text, at)) < text.size(); ++at) {
    if (text[at] == '"') return at + 1;
    if (text[at] == '\\' && ++at == text.size()) break;
  }
  return text.size();
}

}  // namespace

std::optional<ScanFault> prescan(std::string_view text) noexcept {
  if (text.substr(0, 3) == "\xEF\xBB\xBF") return ScanFault{0, "a byte order mark is not allowed"};
  if (const void* nul = text.empty() ? nullptr : std::memchr(text.data(), 0, text.size()))
    return ScanFault{static_cast<size_t>(static_cast<const char*>(nul) - text.data()),
                     "a NUL byte is not allowed"};
  for (size_t at = 0; at < text.size();) {
    if (text[at] == '"') {
      at = skip_string(text, at);
    } else if (is_digit(text[at])) {
      const size_t start = at;
      while (at < text.size() && in_number(text[at])) ++at;
      if (const char* fault = check_number(text.substr(start, at - start))) return ScanFault{start, fault};
    } else {
      ++at;
    }
  }
  return std::nullopt;
}

}  // namespace patchbay::core::json
