#include "patchbay/hex.h"

#include <doctest/doctest.h>

#include <string>

using namespace patchbay;

TEST_CASE("hex is decoded in either case and other text is refused") {
  CHECK(from_hex("00fFa1") == std::string("\x00\xff\xa1", 3));
  CHECK(from_hex("") == std::string());
  CHECK_FALSE(from_hex("abc"));
  CHECK_FALSE(from_hex("0x"));
  CHECK_FALSE(from_hex("0 "));
}

TEST_CASE("hex is written in lower case, two digits for each byte") {
  CHECK(to_hex(std::string("\x00\xff\x1a", 3)) == "00ff1a");
  CHECK(to_hex("") == "");
}
