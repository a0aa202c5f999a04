#include "observe/log_escape.h"

#include <patchbay/utf8.h>

#include <cstdint>

namespace patchbay::core::observe {
namespace {

const char* short_escape(uint32_t code) noexcept {
  switch (code) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    case '\\':
      return "\\\\";
    default:
      return nullptr;
  }
}

// At least `width` digits.
void append_hex(std::string& out, uint32_t value, int width) {
  constexpr char kDigits[] = "0123456789abcdef";
  int digits = width;
  while (digits < 8 && (value >> (4 * digits)) != 0) ++digits;
  while (digits-- > 0) out += kDigits[(value >> (4 * digits)) & 0xF];
}

void append_json_escape(std::string& out, uint32_t code) {
  out += "\\u";
  if (code < 0x10000) return append_hex(out, code, 4);
  const uint32_t rest = code - 0x10000;
  append_hex(out, 0xD800 + (rest >> 10), 4);
  out += "\\u";
  append_hex(out, 0xDC00 + (rest & 0x3FF), 4);
}

void append_byte_escape(std::string& out, uint32_t byte) {
  out += "\\x";
  append_hex(out, byte, 2);
}

void append_character_escape(std::string& out, uint32_t code) {
  if (code < 0x80) return append_byte_escape(out, code);
  out += "\\u{";
  append_hex(out, code, 1);
  out += '}';
}

// Appends the characters from `at` on that every line shows as they are, and moves `at` behind them.
void append_plain(std::string& out, std::string_view text, size_t& at) {
  const size_t start = at;
  while (at < text.size() && text[at] >= ' ' && text[at] <= '~' && text[at] != '"' && text[at] != '\\') ++at;
  out.append(text, start, at - start);
}

}  // namespace

void append_escaped(std::string& out, std::string_view text) {
  size_t at = 0;
  for (append_plain(out, text, at); at < text.size(); append_plain(out, text, at)) {
    const size_t start = at;
    const uint32_t code = next_code_point(text, at);
    if (code == kInvalidCodePoint)
      append_byte_escape(out, static_cast<unsigned char>(text[start]));
    else if (const char* escape = short_escape(code))
      out += escape;
    else if (is_unprintable(code))
      append_character_escape(out, code);
    else
      out += text.substr(start, at - start);
  }
}

void append_escaped_json(std::string& out, std::string_view text) {
  out += '"';
  size_t at = 0;
  for (append_plain(out, text, at); at < text.size(); append_plain(out, text, at)) {
    const size_t start = at;
    const uint32_t code = next_code_point(text, at);
    if (code == kInvalidCodePoint)
      out += "\\ufffd";
    else if (code == '"' || code == '\\')
      (out += '\\') += static_cast<char>(code);
    else if (is_unprintable(code))
      append_json_escape(out, code);
    else
      out += text.substr(start, at - start);
  }
  out += '"';
}

}  // namespace patchbay::core::observe
