#include "patchbay/base64.h"

#include <doctest/doctest.h>

#include <string>

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
