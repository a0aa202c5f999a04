#include "json/printable_text.h"

#include <patchbay/utf8.h>

#include <cstdio>

namespace patchbay::core::json {

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
    if (code == kInvalidCodePoint)
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
