#include "patchbay/base64.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

using namespace patchbay;

TEST_CASE("base64 goes both ways") {
  for (size_t n = 0; n < 20; ++n) {
    std::string bytes, text = "> ";
    for (size_t i = 0; i < n; ++i) bytes += static_cast<char>(i * 37 + 200);
    append_base64(text, bytes);
    CHECK(text.size() % 4 == 2);
    CHECK(from_base64(text.substr(2)) == bytes);
  }
}

TEST_CASE("base64 of services is read in either alphabet, with and without padding, over several lines") {
  CHECK(from_base64("-_8") == "\xfb\xff");
  CHECK(from_base64("+/8=") == "\xfb\xff");
  CHECK(from_base64("Zm9v\r\nYmFy\n") == "foobar");
  CHECK(from_base64("") == "");
  for (const char* wrong : {"A", "AA*A", "AA=A", "AAAAA", "AA A"}) CHECK_FALSE(from_base64(wrong));
}

TEST_CASE("base64url gives the values of RFC 4648 without padding") {
  CHECK(to_base64url("") == "");
  CHECK(to_base64url("f") == "Zg");
  CHECK(to_base64url("fo") == "Zm8");
  CHECK(to_base64url("foo") == "Zm9v");
  CHECK(to_base64url("foobar") == "Zm9vYmFy");
  CHECK(to_base64url("\xfb\xff") == "-_8");
}

TEST_CASE("base64url decoding accepts one text per byte string") {
  for (int i = 0; i < 256; ++i) {
    const std::string bytes(static_cast<size_t>(i % 7), static_cast<char>(i));
    CHECK(from_base64url(to_base64url(bytes)) == bytes);
  }
  CHECK_FALSE(from_base64url("Zh"));    // stray bits
  CHECK_FALSE(from_base64url("Zm9"));   // stray bits
  CHECK_FALSE(from_base64url("Zg=="));  // padding
  CHECK_FALSE(from_base64url("Z"));
  CHECK_FALSE(from_base64url("+/8"));
  CHECK_FALSE(from_base64url("Zm 9v"));
}

namespace {

// Section 4, character by character, as a reference: either alphabet, line breaks, padding only at the end.
std::optional<std::string> decode_simply(std::string_view text) {
  std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string sextets, out;
  bool padded = false;
  for (const char c : text) {
    if (c == '\r' || c == '\n') continue;
    const size_t value = digits.find(c == '-' ? '+' : c == '_' ? '/' : c);
    if (c != '=' && (padded || value == std::string_view::npos)) return std::nullopt;
    padded = padded || c == '=';
    if (c != '=') sextets += static_cast<char>(value);
  }
  if (sextets.size() % 4 == 1) return std::nullopt;
  for (size_t bit = 0; bit + 8 <= 6 * sextets.size(); bit += 8) {
    unsigned byte = 0;
    for (size_t i = bit; i < bit + 8; ++i)
      byte = byte << 1U | (static_cast<unsigned>(sextets[i / 6]) >> (5 - i % 6) & 1U);
    out += static_cast<char>(byte);
  }
  return out;
}

std::string random_bytes(std::minstd_rand& random, size_t size) {
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random() >> 8);
  return bytes;
}

// Decodes with and without vector instructions, and into a buffer of exactly the declared capacity.
void check_decoding(std::string_view text) {
  const std::optional<std::string> expected = decode_simply(text);
  CHECK(from_base64(text) == expected);
  std::vector<uint8_t> out(base64_capacity(text.size()));
  for (const bool by_blocks : {false, true}) {
    if (by_blocks && !detail::has_base64_blocks()) continue;
    const auto size = detail::decode_base64(text, out.data(), detail::kLenientBase64, false, by_blocks);
    CHECK(size.has_value() == expected.has_value());
    if (size && expected) CHECK(std::string(out.begin(), out.begin() + int64_t(*size)) == *expected);
  }
}

}  // namespace

TEST_CASE("base64 of every length is decoded as character by character") {
  std::minstd_rand random;
  for (size_t size = 0; size < 200; ++size) {
    std::string text;
    append_base64(text, random_bytes(random, size));
    CHECK(text.size() == base64_size(size));
    check_decoding(text);
    check_decoding(text.substr(0, text.find('=')));
    for (char& c : text) c = c == '+' ? '-' : c == '/' ? '_' : c;
    check_decoding(text);
    check_decoding(text + "\r\n");
  }
}

TEST_CASE(
    "every character at every position of a base64 text is accepted or refused as character by character") {
  std::minstd_rand random;
  std::string text;
  append_base64(text, random_bytes(random, 66));
  for (size_t at = 0; at < text.size(); ++at) {
    for (int c = 0; c < 256; ++c) {
      std::string changed = text;
      changed[at] = static_cast<char>(c);
      check_decoding(changed);
    }
  }
}

TEST_CASE("base64 in lines is decoded whatever the length of the lines") {
  std::minstd_rand random;
  const std::string bytes = random_bytes(random, 300);
  std::string text;
  append_base64(text, bytes);
  for (size_t line = 1; line < 80; ++line) {
    std::string lines;
    for (size_t at = 0; at < text.size(); at += line) lines += text.substr(at, line) + "\r\n";
    CHECK(from_base64(lines) == bytes);
    check_decoding(lines);
  }
}

TEST_CASE("base64 is encoded alike with and without vector instructions") {
  std::minstd_rand random;
  for (size_t size = 0; size < 200; ++size) {
    const std::string bytes = random_bytes(random, size);
    std::string text;
    append_base64(text, bytes);
    std::string digits(base64_size(size), '=');
    (void)detail::write_base64_digits(reinterpret_cast<const uint8_t*>(bytes.data()), size, digits.data(),
                                      detail::kBase64Digits);
    CHECK(text == digits);
  }
}

TEST_CASE("base64 is decoded into a buffer, unless the buffer may be too small") {
  char out[8] = {};
  CHECK(from_base64("Zm9vYmFy", out, sizeof out) == 6u);
  CHECK(std::string(out, 6) == "foobar");
  CHECK(from_base64("Zm9v", out, 3) == 3u);
  CHECK_FALSE(from_base64("Zm9v", out, 2));
  CHECK(from_base64("Zm8=", out, 3) == 2u);  // needs room for what so many characters may encode
  CHECK_FALSE(from_base64("Zm8=", out, 2));
  CHECK(from_base64("", nullptr, 0) == 0u);
  CHECK_FALSE(from_base64("Zm9*", out, sizeof out));
}
