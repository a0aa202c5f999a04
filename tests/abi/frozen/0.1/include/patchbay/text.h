// ASCII text: letters and digits, trimming, splitting. Pure functions, any thread; the locale has no effect.
//
//   for (std::string_view word : split("a b  c", ' ')) ...   "a", "b", "c"
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace patchbay {

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool is_alphanumeric(char c) noexcept { return is_letter(c) || is_digit(c); }

// Returns whether the text has one digit or more and nothing else.
inline bool is_digits(std::string_view text) noexcept {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

// Bytes that are not ASCII letters stay as they are.
constexpr char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
inline std::string to_lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = lower(c);
  return out;
}

inline bool equals_ignoring_case(std::string_view a, std::string_view b) noexcept {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return lower(x) == lower(y); });
}

inline constexpr std::string_view kBlanks = " \t\r\n";
constexpr bool is_blank(char c) noexcept { return kBlanks.find(c) != std::string_view::npos; }

// Removes the characters of `blanks` from both ends.
constexpr std::string_view trim(std::string_view text, std::string_view blanks = kBlanks) noexcept {
  while (!text.empty() && blanks.find(text.front()) != std::string_view::npos) text.remove_prefix(1);
  while (!text.empty() && blanks.find(text.back()) != std::string_view::npos) text.remove_suffix(1);
  return text;
}

// Returns the part of `rest` before the first `separator` and removes both from `rest`. Without a separator,
// returns all of `rest` and leaves it empty.
constexpr std::string_view take_until(char separator, std::string_view& rest) noexcept {
  const std::string_view part = rest.substr(0, rest.find(separator));
  rest.remove_prefix(part.size() < rest.size() ? part.size() + 1 : part.size());
  return part;
}

// Returns the parts between separators, without the empty ones.
inline std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::string_view part = take_until(separator, text);
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

// Returns the first `max_bytes` printable ASCII characters of `text`, blanks included; leaves the others out.
inline std::string printable_ascii(std::string_view text, size_t max_bytes) {
  std::string out;
  for (const char c : text)
    if (c >= ' ' && c < 0x7F && out.size() < max_bytes) out += c;
  return out;
}

}  // namespace patchbay
