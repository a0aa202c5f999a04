#include "json/text.h"

#include <cstdio>

namespace patchbay::core::json {
namespace {

// A decoded lead byte: the length of its sequence, its own bits, and the least code point of that length.
struct Lead {
  size_t bytes;
  uint32_t bits;
  uint32_t least;
};

Lead decode_lead(unsigned char c) noexcept {
  if (c >= 0xC2 && c <= 0xDF) return {2, c & 0x1Fu, 0x80};
  if ((c & 0xF0) == 0xE0) return {3, c & 0x0Fu, 0x800};
  if (c >= 0xF0 && c <= 0xF4) return {4, c & 0x07u, 0x10000};
  return {0, 0, 0};
}

}  // namespace

uint32_t next_code_point(std::string_view text, size_t& at) noexcept {
  const auto first = static_cast<unsigned char>(text[at++]);
  if (first < 0x80) return first;
  const Lead lead = decode_lead(first);
  if (lead.bytes == 0 || at + lead.bytes - 1 > text.size()) return kInvalid;
  uint32_t code = lead.bits;
  for (size_t i = 0; i + 1 < lead.bytes; ++i) {
    const auto c = static_cast<unsigned char>(text[at + i]);
    if ((c & 0xC0) != 0x80) return kInvalid;
    code = (code << 6) | (c & 0x3Fu);
  }
  if (code < lead.least || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return kInvalid;
  at += lead.bytes - 1;
  return code;
}

size_t code_points(std::string_view text) noexcept {
  size_t count = 0;
  for (size_t at = 0; at < text.size(); ++count) next_code_point(text, at);
  return count;
}

std::string printable(std::string_view text, size_t max_characters) {
  std::string out;
  size_t at = 0;
  for (size_t count = 0; at < text.size() && count < max_characters; ++count) {
    const size_t start = at;
    const uint32_t code = next_code_point(text, at);
    char escaped[16];
    if (code == kInvalid)
      std::snprintf(escaped, sizeof escaped, "\\x%02X", static_cast<unsigned char>(text[start]));
    else if (code == '"' || code == '\\')
      std::snprintf(escaped, sizeof escaped, "\\%c", static_cast<char>(code));
    else if (code >= 0x20 && code < 0x7F)
      std::snprintf(escaped, sizeof escaped, "%c", static_cast<char>(code));
    else
      std::snprintf(escaped, sizeof escaped, "\\u%04X", code);
    out += escaped;
  }
  return out;
}

}  // namespace patchbay::core::json
