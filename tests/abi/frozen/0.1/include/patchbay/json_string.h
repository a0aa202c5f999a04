// Strings as JSON. JsonWriter (json.h) writes whole values. Pure, any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "hex.h"
#include "utf8.h"

namespace patchbay {

// Appends `text` in quotes. Control characters, quotes and backslashes are escaped; each byte that is not
// UTF-8 becomes U+FFFD.
inline void append_json_string(std::string& out, std::string_view text) {
  constexpr std::string_view kCharacters = "\b\f\n\r\t\"\\", kLetters = "bfnrt\"\\";
  out += '"';
  size_t written = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t start = at;
    const uint32_t code = next_code_point(text, at);
    if (code >= 0x20 && code != '"' && code != '\\' && code != kInvalidCodePoint) continue;
    out += text.substr(written, start - written);
    written = at;
    const size_t known = code < 0x80 ? kCharacters.find(static_cast<char>(code)) : std::string_view::npos;
    if (code == kInvalidCodePoint)
      out += kReplacementCharacter;
    else if (known != std::string_view::npos)
      (out += '\\') += kLetters[known];
    else
      append_hex(out += "\\u00", static_cast<unsigned char>(code));
  }
  out += text.substr(written);
  out += '"';
}

}  // namespace patchbay
