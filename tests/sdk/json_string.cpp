#include "patchbay/json_string.h"

#include <doctest/doctest.h>

#include <string>

namespace {

std::string json(std::string_view text) {
  std::string out = "x";
  patchbay::append_json_string(out, text);
  return out.substr(1);
}

}  // namespace

TEST_CASE("what a JSON string cannot hold as it is, is escaped") {
  CHECK(json("") == R"("")");
  CHECK(json("a\"b\\c/d") == R"("a\"b\\c/d")");
  CHECK(json("\b\f\n\r\t") == R"("\b\f\n\r\t")");
  CHECK(json("\x01\x1f\x7f") == "\"\\u0001\\u001f\x7f\"");
  CHECK(json(std::string_view("a\0b", 3)) == R"("a\u0000b")");
}

TEST_CASE("a JSON string is always valid UTF-8") {
  CHECK(json("gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80") == "\"gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80\"");
  CHECK(json("\xff\xc3\xa9\xc3") == "\"\xef\xbf\xbd\xc3\xa9\xef\xbf\xbd\"");
}
