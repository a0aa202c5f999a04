#include "patchbay/text.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace patchbay;

TEST_CASE("letters and digits are those of ASCII") {
  CHECK(to_lower("AbC-\xc3\x84[") == "abc-\xc3\x84[");
  CHECK(equals_ignoring_case("Content-Type", "content-TYPE"));
  CHECK_FALSE(equals_ignoring_case("a", "ab"));
  CHECK_FALSE(equals_ignoring_case("[", "{"));
  std::string alphanumeric;
  for (int i = 0; i < 256; ++i)
    if (is_alphanumeric(static_cast<char>(i))) alphanumeric += static_cast<char>(i);
  CHECK(alphanumeric == "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
  CHECK(is_digits("0123456789"));
  for (const char* other : {"", "1a", "+1", "1 ", "\xb2"}) CHECK_FALSE(is_digits(other));
}

TEST_CASE("blanks are trimmed from both ends, and other characters on request") {
  CHECK(trim(" \t\r\na b\n") == "a b");
  CHECK(trim(" \t").empty());
  CHECK(trim("").empty());
  CHECK(trim("--a-b-", "-") == "a-b");
}

TEST_CASE("a text is split at separators, without empty parts") {
  CHECK(split(",a,,bc,", ',') == std::vector<std::string_view>{"a", "bc"});
  CHECK(split("", ',').empty());
  CHECK(split("abc", ',') == std::vector<std::string_view>{"abc"});
}

TEST_CASE("parts are taken from the front of a text") {
  std::string_view rest = "a=b=";
  CHECK(take_until('=', rest) == "a");
  CHECK(rest == "b=");
  CHECK(take_until('=', rest) == "b");
  CHECK(rest.empty());
  CHECK(take_until('=', rest).empty());
  rest = "abc";
  CHECK(take_until('=', rest) == "abc");
  CHECK(rest.empty());
}

TEST_CASE("printable ASCII is what a SIP or HTTP line can show") {
  CHECK(printable_ascii("a\r\nb \x7f\xc3\xa9~", 80) == "ab ~");
  CHECK(printable_ascii("\nabc", 2) == "ab");
}
