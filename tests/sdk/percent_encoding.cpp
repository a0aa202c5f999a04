#include "patchbay/percent_encoding.h"

#include <doctest/doctest.h>

#include <string>

using namespace patchbay;

TEST_CASE("percent escapes are decoded once, broken ones are refused") {
  CHECK(percent_decode("a%2Fb%2f+") == "a/b/+");
  CHECK(percent_decode("a+b", true) == "a b");
  CHECK(percent_decode("%2B", true) == "+");
  CHECK(percent_decode("%2525") == "%25");
  CHECK(percent_decode("%00") == std::string(1, '\0'));
  for (const char* broken : {"%", "%4", "%4g", "%-1", "a%", "%%41", "%+1"})
    CHECK_FALSE(percent_decode(broken));
}

TEST_CASE("all but the unreserved characters are escaped") {
  CHECK(percent_encode("AZaz09-._~") == "AZaz09-._~");
  CHECK(percent_encode("a b/\xc3\xa9+%") == "a%20b%2F%C3%A9%2B%25");
  for (int i = 0; i < 256; ++i) {
    const std::string byte(1, static_cast<char>(i));
    CHECK(percent_decode(percent_encode(byte)) == byte);
  }
}
