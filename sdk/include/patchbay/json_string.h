// Strings as JSON. JsonWriter (json.h) writes whole values. Pure, any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "hex.h"
#include "utf8.h"

namespace patchbay {

namespace detail {

// 16 bytes of a text, in a vector type of GCC and clang, which both compile for any processor.
typedef signed char JsonBlock __attribute__((vector_size(16)));

inline JsonBlock load_json_block(const char* from) noexcept {
  JsonBlock block;
  std::memcpy(&block, from, sizeof block);
  return block;
}

// Not zero at the bytes that are no plain JSON. Bytes above 0x7F are negative.
inline JsonBlock special_bytes(JsonBlock block) noexcept {
  return (block < ' ') | (block == '"') | (block == '\\');
}

// The number of zero bytes at the beginning: 16 if all are.
inline size_t leading_zeros(JsonBlock block) noexcept {
  uint64_t halves[2];
  std::memcpy(halves, &block, sizeof halves);
  for (size_t i = 0; i < 2; ++i) {
    if (halves[i] == 0) continue;
    const int bits =
        __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? __builtin_ctzll(halves[i]) : __builtin_clzll(halves[i]);
    return i * sizeof halves[i] + static_cast<size_t>(bits) / 8;
  }
  return sizeof block;
}

}  // namespace detail

// Returns where the run of ASCII characters that stand for themselves in a JSON string ends, from `at` on,
// which is text.size() at most.
inline size_t end_of_plain_json(std::string_view text, size_t at) noexcept {
  constexpr size_t kBlock = sizeof(detail::JsonBlock);
  const auto special = [&text](size_t from) {
    return detail::special_bytes(detail::load_json_block(text.data() + from));
  };
  while (text.size() - at >= 2 * kBlock &&
         detail::leading_zeros(special(at) | special(at + kBlock)) == kBlock)
    at += 2 * kBlock;
  for (; text.size() - at >= kBlock; at += kBlock)
    if (const size_t plain = detail::leading_zeros(special(at)); plain < kBlock) return at + plain;
  const auto is_plain = [](char c) { return static_cast<signed char>(c) >= ' ' && c != '"' && c != '\\'; };
  while (at < text.size() && is_plain(text[at])) ++at;
  return at;
}

// Appends `text` in quotes. Control characters, quotes and backslashes are escaped; each byte that is not
// UTF-8 becomes U+FFFD.
inline void append_json_string(std::string& out, std::string_view text) {
  constexpr std::string_view kCharacters = "\b\f\n\r\t\"\\", kLetters = "bfnrt\"\\";
  out += '"';
  size_t written = 0;
  for (size_t at = 0; (at = end_of_plain_json(text, at)) < text.size();) {
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
