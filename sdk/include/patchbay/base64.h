// Base64 (RFC 4648). Pure functions, any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base64_blocks.h"

namespace patchbay {
namespace detail {

// Writes groups of 3 bytes as 4 digits, the last one shorter and without padding. Returns the end.
inline char* write_base64_digits(const uint8_t* from, size_t size, char* to, const char* digits) noexcept {
  for (; size >= 3; size -= 3, from += 3, to += 4) {
    const uint32_t group = uint32_t{from[0]} << 16U | uint32_t{from[1]} << 8U | from[2];
    to[0] = digits[group >> 18U];
    to[1] = digits[group >> 12U & 63U];
    to[2] = digits[group >> 6U & 63U];
    to[3] = digits[group & 63U];
  }
  if (size == 0) return to;
  const uint32_t group = uint32_t{from[0]} << 16U | (size == 2 ? uint32_t{from[1]} << 8U : 0U);
  *to++ = digits[group >> 18U];
  *to++ = digits[group >> 12U & 63U];
  if (size == 2) *to++ = digits[group >> 6U & 63U];
  return to;
}

// Decodes into `out`, which has room for base64_capacity(text.size()). `strict`: refuses bits of the last
// character that belong to no byte. `by_blocks`: tries vector instructions, which know only the standard
// alphabet and leave other blocks to the loop.
inline std::optional<size_t> decode_base64(std::string_view text, uint8_t* out, const Base64Values& values,
                                           bool strict, bool by_blocks) noexcept {
  Base64Progress at{reinterpret_cast<const uint8_t*>(text.data()), out};
  const uint8_t* const end = at.from + text.size();
  uint32_t bits = 0;
  int count = 0;  // of bits that are not in `out`
  bool ended = false;
  while (at.from != end) {
    if (count == 0 && !ended) {
      if (by_blocks) at = decode_base64_blocks(at, end);
      at = decode_base64_groups(at, end, values);
      if (at.from == end) break;
    }
    const uint8_t value = values[*at.from++];
    if (value == kBase64Skip) continue;
    ended = ended || value == kBase64End;
    if (value == kBase64End) continue;
    if (value == kBase64Bad || ended) return std::nullopt;
    bits = bits << 6U | value;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    *at.to++ = static_cast<uint8_t>(bits >> static_cast<unsigned>(count));
  }
  if (count == 6 || (strict && (bits & ((1U << static_cast<unsigned>(count)) - 1)) != 0)) return std::nullopt;
  return static_cast<size_t>(at.to - out);
}

}  // namespace detail

// The characters that encode_base64() writes for so many bytes.
constexpr size_t base64_size(size_t bytes) noexcept { return (bytes + 2) / 3 * 4; }
// The most bytes that a text of so many characters encodes.
constexpr size_t base64_capacity(size_t characters) noexcept {
  return characters / 4 * 3 + characters % 4 * 3 / 4;
}

// Section 4: the standard alphabet, padded. Writes base64_size(size_bytes) characters to `out`, and no NUL.
inline void encode_base64(const void* data, size_t size_bytes, char* out) noexcept {
  detail::Base64Progress at{static_cast<const uint8_t*>(data), reinterpret_cast<uint8_t*>(out)};
  const uint8_t* const end = at.from + size_bytes;
  if (detail::has_base64_blocks()) at = detail::encode_base64_blocks(at, end);
  out = detail::write_base64_digits(at.from, static_cast<size_t>(end - at.from),
                                    reinterpret_cast<char*>(at.to), detail::kBase64Digits);
  for (size_t i = (3 - size_bytes % 3) % 3; i > 0; --i) *out++ = '=';
}
// The same, behind the text in `out`. `data`: text or other objects, such as samples.
inline void append_base64(std::string& out, const void* data, size_t size_bytes) {
  const size_t before = out.size();
  out.resize(before + base64_size(size_bytes));
  encode_base64(data, size_bytes, out.data() + before);
}
inline void append_base64(std::string& out, std::string_view bytes) {
  append_base64(out, bytes.data(), bytes.size());
}

// Section 5: the URL-safe alphabet, without padding.
inline std::string to_base64url(std::string_view bytes) {
  std::string out(base64_size(bytes.size()), '\0');
  const auto* from = reinterpret_cast<const uint8_t*>(bytes.data());
  const char* end = detail::write_base64_digits(from, bytes.size(), out.data(), detail::kBase64UrlDigits);
  out.resize(static_cast<size_t>(end - out.data()));
  return out;
}

// Accepts either alphabet, missing padding and line breaks, because services differ in what they send.
// Returns nullopt for other characters, for text behind the padding and for a single character at the end.
inline std::optional<std::string> from_base64(std::string_view text) {
  std::string out(base64_capacity(text.size()), '\0');
  const auto size = detail::decode_base64(text, reinterpret_cast<uint8_t*>(out.data()),
                                          detail::kLenientBase64, false, detail::has_base64_blocks());
  if (!size) return std::nullopt;
  out.resize(*size);
  return out;
}
// The same, into a buffer of the caller, and returns the number of bytes. Also nullopt if `capacity_bytes` is
// below base64_capacity(text.size()). What follows the decoded bytes in the buffer may be overwritten.
inline std::optional<size_t> from_base64(std::string_view text, void* out, size_t capacity_bytes) noexcept {
  if (capacity_bytes < base64_capacity(text.size())) return std::nullopt;
  return detail::decode_base64(text, static_cast<uint8_t*>(out), detail::kLenientBase64, false,
                               detail::has_base64_blocks());
}

// Accepts one text for each byte string, as signed tokens need it. Returns nullopt for padding, other
// characters and non-zero bits behind the last byte.
inline std::optional<std::string> from_base64url(std::string_view text) {
  std::string out(base64_capacity(text.size()), '\0');
  const auto size = detail::decode_base64(text, reinterpret_cast<uint8_t*>(out.data()),
                                          detail::kStrictBase64Url, true, false);
  if (!size) return std::nullopt;
  out.resize(*size);
  return out;
}

}  // namespace patchbay
