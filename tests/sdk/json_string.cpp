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

TEST_CASE("a special character is found at every position of a text of any length") {
  for (size_t size = 0; size < 70; ++size) {
    const std::string plain(size, 'a');
    CHECK(patchbay::end_of_plain_json(plain, 0) == size);
    for (size_t at = 0; at < size; ++at) {
      for (const char special : {'"', '\\', '\0', '\x1f', '\x80', '\xff'}) {
        std::string text = plain;
        text[at] = special;
        for (size_t from = 0; from <= at; from += 5) CHECK(patchbay::end_of_plain_json(text, from) == at);
        CHECK(patchbay::end_of_plain_json(text, at + 1) == size);
      }
    }
  }
  for (int c = 0; c < 256; ++c) {
    const std::string text(20, static_cast<char>(c));
    const bool is_plain = c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
    CHECK(patchbay::end_of_plain_json(text, 0) == (is_plain ? 20 : 0));
  }
}
