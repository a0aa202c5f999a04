// Base64 (RFC 4648). Pure functions, any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace patchbay {
namespace detail {

inline constexpr char kBase64Digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
inline constexpr char kBase64UrlDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
inline constexpr uint8_t kBase64Bad = 64, kBase64Skip = 65, kBase64End = 66;

// The value of each character: a sextet, or one of the marks above.
using Base64Values = std::array<uint8_t, 256>;

constexpr Base64Values make_base64_values(const char* digits) {
  Base64Values values{};
  for (auto& value : values) value = kBase64Bad;
  for (uint8_t i = 0; i < 64; ++i) values[static_cast<uint8_t>(digits[i])] = i;
  return values;
}

constexpr Base64Values make_lenient_base64_values() {
  Base64Values values = make_base64_values(kBase64Digits);
  values['-'] = 62;
  values['_'] = 63;
  values['\r'] = values['\n'] = kBase64Skip;
  values['='] = kBase64End;
  return values;
}

inline constexpr Base64Values kLenientBase64 = make_lenient_base64_values();
inline constexpr Base64Values kStrictBase64Url = make_base64_values(kBase64UrlDigits);

// Without padding.
inline void append_base64_digits(std::string& out, std::string_view bytes, const char* digits) {
  out.reserve(out.size() + (bytes.size() + 2) / 3 * 4);
  const auto byte = [bytes](size_t i) {
    return i < bytes.size() ? uint32_t{static_cast<uint8_t>(bytes[i])} : uint32_t{0};
  };
  for (size_t at = 0; at < bytes.size(); at += 3) {
    const uint32_t group = byte(at) << 16U | byte(at + 1) << 8U | byte(at + 2);
    const char four[4] = {digits[group >> 18U], digits[group >> 12U & 63U], digits[group >> 6U & 63U],
                          digits[group & 63U]};
    out.append(four, bytes.size() - at >= 3 ? 4 : bytes.size() - at + 1);
  }
}

// `strict`: refuses bits of the last character that belong to no byte.
inline std::optional<std::string> decode_base64(std::string_view text, const Base64Values& values,
                                                bool strict) {
  std::string out;
  out.reserve(text.size() / 4 * 3 + 3);
  uint32_t bits = 0;
  int count = 0;  // of bits that are not in `out`
  bool ended = false;
  for (const char c : text) {
    const uint8_t value = values[static_cast<uint8_t>(c)];
    if (value == kBase64Skip) continue;
    ended = ended || value == kBase64End;
    if (value == kBase64End) continue;
    if (value == kBase64Bad || ended) return std::nullopt;
    bits = bits << 6U | value;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out += static_cast<char>(bits >> count & 255U);
  }
  if (count == 6 || (strict && (bits & ((1U << count) - 1)) != 0)) return std::nullopt;
  return out;
}

}  // namespace detail

// Section 4: the standard alphabet, padded.
inline void append_base64(std::string& out, std::string_view bytes) {
  detail::append_base64_digits(out, bytes, detail::kBase64Digits);
  out.append((3 - bytes.size() % 3) % 3, '=');
}
// The same of other objects than text, such as samples.
inline void append_base64(std::string& out, const void* data, size_t size_bytes) {
  append_base64(out, {static_cast<const char*>(data), size_bytes});
}

// Section 5: the URL-safe alphabet, without padding.
inline std::string to_base64url(std::string_view bytes) {
  std::string out;
  detail::append_base64_digits(out, bytes, detail::kBase64UrlDigits);
  return out;
}

// Accepts either alphabet, missing padding and line breaks, because services differ in what they send.
// Returns nullopt for other characters, for text behind the padding and for a single character at the end.
inline std::optional<std::string> from_base64(std::string_view text) {
  return detail::decode_base64(text, detail::kLenientBase64, false);
}

// Accepts one text for each byte string, as signed tokens need it. Returns nullopt for padding, other
// characters and non-zero bits behind the last byte.
inline std::optional<std::string> from_base64url(std::string_view text) {
  return detail::decode_base64(text, detail::kStrictBase64Url, true);
}

}  // namespace patchbay
