// Hexadecimal text. Pure functions, any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace patchbay {

inline constexpr char kHexDigits[] = "0123456789abcdef";

// Returns the value of a digit in either case, -1 for other characters.
constexpr int hex_value(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// Appends two lower-case digits.
inline void append_hex(std::string& out, unsigned char byte) {
  out += kHexDigits[byte >> 4U];
  out += kHexDigits[byte & 15U];
}

// Two lower-case digits for each byte.
inline std::string to_hex(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const char c : bytes) append_hex(out, static_cast<unsigned char>(c));
  return out;
}

// Accepts either case. Returns nullopt for an odd number of digits and for other characters.
inline std::optional<std::string> from_hex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::string out;
  out.reserve(text.size() / 2);
  for (size_t i = 0; i < text.size(); i += 2) {
    const int high = hex_value(text[i]), low = hex_value(text[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    out += static_cast<char>(high * 16 + low);
  }
  return out;
}

}  // namespace patchbay
