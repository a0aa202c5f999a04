// Percent-encoding of URLs and forms (RFC 3986 section 2). Pure functions, any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "hex.h"
#include "text.h"

namespace patchbay {

// The characters that never need an escape (section 2.3).
constexpr bool is_unreserved(char c) noexcept {
  return is_alphanumeric(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

// Escapes all but the unreserved characters, with upper-case digits.
inline std::string percent_encode(std::string_view text) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (is_unreserved(c)) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += kDigits[byte >> 4U];
    out += kDigits[byte & 15U];
  }
  return out;
}

// Decodes once. `plus_is_space`: as in queries and forms. Returns nullopt for a broken escape. The result may
// be any bytes, NUL and invalid UTF-8 included.
inline std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space = false) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i] == '+' && plus_is_space ? ' ' : text[i];
      continue;
    }
    if (text.size() - i < 3) return std::nullopt;
    const int high = hex_value(text[i + 1]), low = hex_value(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

}  // namespace patchbay
