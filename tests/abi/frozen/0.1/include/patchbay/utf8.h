// UTF-8 (RFC 3629). Overlong forms, surrogates and code points above U+10FFFF are invalid. Pure functions,
// any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace patchbay {

// Decodes the code point at `at`, which must be below the size, and moves `at` behind it. An invalid byte
// gives kInvalidCodePoint and is skipped alone.
inline constexpr uint32_t kInvalidCodePoint = 0xFFFFFFFF;
inline uint32_t next_code_point(std::string_view text, size_t& at) noexcept {
  const auto first = static_cast<unsigned char>(text[at++]);
  if (first < 0x80) return first;
  const size_t more = first >= 0xC2 && first <= 0xDF   ? 1
                      : (first & 0xF0) == 0xE0         ? 2
                      : first >= 0xF0 && first <= 0xF4 ? 3
                                                       : 0;
  if (more == 0 || text.size() - at < more) return kInvalidCodePoint;
  uint32_t code = first & (0x3FU >> more);
  for (size_t i = 0; i < more; ++i) {
    const auto next = static_cast<unsigned char>(text[at + i]);
    if ((next & 0xC0) != 0x80) return kInvalidCodePoint;
    code = (code << 6) | (next & 0x3FU);
  }
  const uint32_t least = more == 1 ? 0x80 : more == 2 ? 0x800 : 0x10000;
  if (code < least || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return kInvalidCodePoint;
  at += more;
  return code;
}

// Returns false for the second and later bytes of a character.
constexpr bool starts_character(char c) noexcept { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

inline bool is_utf8(std::string_view text) noexcept {
  for (size_t at = 0; at < text.size();)
    if (next_code_point(text, at) == kInvalidCodePoint) return false;
  return true;
}

// Returns `text` with U+FFFD in place of each invalid byte.
inline constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";
inline std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const size_t start = at;
    const bool valid = next_code_point(text, at) != kInvalidCodePoint;
    out += valid ? text.substr(start, at - start) : kReplacementCharacter;
  }
  return out;
}

// Returns at most `max_bytes` bytes, cut between characters.
inline std::string_view clip_utf8(std::string_view text, size_t max_bytes) noexcept {
  if (text.size() <= max_bytes) return text;
  while (max_bytes > 0 && !starts_character(text[max_bytes])) --max_bytes;
  return text.substr(0, max_bytes);
}

// Returns at most `max_characters` characters.
inline std::string_view clip_characters(std::string_view text, size_t max_characters) noexcept {
  size_t characters = 0;
  for (size_t i = 0; i < text.size(); ++i)
    if (starts_character(text[i]) && characters++ == max_characters) return text.substr(0, i);
  return text;
}

// Returns whether a character is invisible, breaks the line, or changes how its neighbours are displayed, so
// that a text with it may deceive a reader.
constexpr bool is_unprintable(uint32_t code) noexcept {
  if (code >= 0x20 && code < 0x7F) return false;
  constexpr uint32_t kRanges[][2] = {{0, 0x1F},        {0x7F, 0x9F},      {0xAD, 0xAD},     {0x61C, 0x61C},
                                     {0x200B, 0x200F}, {0x2028, 0x202E},  {0x2060, 0x206F}, {0xFEFF, 0xFEFF},
                                     {0xFFF0, 0xFFFB}, {0xE0000, 0xE0FFF}};
  for (const auto& range : kRanges)
    if (code >= range[0] && code <= range[1]) return true;
  return false;
}

}  // namespace patchbay
