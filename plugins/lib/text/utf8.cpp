#include "text/utf8.h"

#include <algorithm>
#include <cstdint>

namespace patchbay::lib {

size_t utf8_sequence(std::string_view text) {
  if (text.empty()) return 0;
  auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  uint8_t first = byte(0);
  if (first < 0x80) return 1;
  size_t length = first >= 0xF0 && first <= 0xF4   ? 4
                  : first >= 0xE0 && first <= 0xEF ? 3
                  : first >= 0xC2 && first <= 0xDF ? 2
                                                   : 0;
  if (length == 0 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  if (first == 0xE0 && byte(1) < 0xA0) return 0;  // overlong
  if (first == 0xED && byte(1) > 0x9F) return 0;  // surrogate
  if (first == 0xF0 && byte(1) < 0x90) return 0;  // overlong
  if (first == 0xF4 && byte(1) > 0x8F) return 0;  // above U+10FFFF
  return length;
}

std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const size_t length = utf8_sequence(text);
    out += length == 0 ? "\xEF\xBF\xBD" : text.substr(0, length);
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return out;
}

std::string_view clip_utf8(std::string_view text, size_t limit) {
  if (text.size() <= limit) return text;
  while (limit > 0 && (static_cast<uint8_t>(text[limit]) & 0xC0) == 0x80) --limit;
  return text.substr(0, limit);
}

std::string printable(std::string_view text, size_t limit) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  while (!text.empty()) {
    if (out.size() >= limit) return out + "…";
    size_t length = utf8_sequence(text);
    auto first = static_cast<uint8_t>(text[0]);
    if (length == 0) {
      out += '?';
      length = 1;
    } else if (first < 0x20 || first == 0x7F) {
      out += "\\x";
      out += kHex[first >> 4];
      out += kHex[first & 15];
    } else {
      out.append(text.substr(0, length));
    }
    text.remove_prefix(length);
  }
  return out;
}

}  // namespace patchbay::lib
