#include "observe/log_escape.h"

#include <doctest/doctest.h>

#include "json/parse.h"

using namespace patchbay::core;

namespace {

std::string escaped(std::string_view text) {
  std::string out;
  observe::append_escaped(out, text);
  return out;
}

std::string json_string(std::string_view text) {
  std::string out;
  observe::append_escaped_json(out, text);
  return out;
}

}  // namespace

TEST_CASE("ordinary text in any language stays as it is") {
  for (const char* text : {"plain text, 100 %n", "Grüße, 世界 😀", "a\"b='c'"}) CHECK(escaped(text) == text);
}

TEST_CASE("characters that could forge a line or deceive a reader are escaped") {
  CHECK(escaped("a\r\nb\tc\\n") == "a\\r\\nb\\tc\\\\n");
  CHECK(escaped(std::string_view("\x1b[2J\0\x7f", 6)) == "\\x1b[2J\\x00\\x7f");
  CHECK(escaped("\xC2\x9B") == "\\u{9b}");
  CHECK(escaped("\xE2\x80\xAE"
                "evil\xE2\x80\xA8") == "\\u{202e}evil\\u{2028}");
  CHECK(escaped("\xEF\xBB\xBF\xE2\x80\x8B") == "\\u{feff}\\u{200b}");
  CHECK(escaped("\xF3\xA0\x81\x81") == "\\u{e0041}");
  CHECK(escaped("\xFF\xC0\x80") == "\\xff\\xc0\\x80");
}

TEST_CASE("JSON strings escape the same characters the JSON way") {
  CHECK(json_string("a\"\\\n\x1b\xFF") == R"("a\"\\\u000a\u001b\ufffd")");
  CHECK(json_string("\xE2\x80\xAE\xF3\xA0\x81\x81") == R"("\u202e\udb40\udc41")");
  const auto back = json::parse(json_string("\xE2\x80\xAE\xF3\xA0\x81\x81\xC2\x9B"));
  CHECK(back.value().root().string() == "\xE2\x80\xAE\xF3\xA0\x81\x81\xC2\x9B");
}

TEST_CASE("no sequence of two bytes puts a control character into the output") {
  for (int a = 0; a < 256; ++a)
    for (int b = 0; b < 256; ++b) {
      const char bytes[] = {static_cast<char>(a), static_cast<char>(b)};
      for (unsigned char c : escaped({bytes, 2}))
        if (c < 0x20 || c == 0x7F) FAIL_CHECK("control character for " << a << " " << b);
      if (!json::parse(json_string({bytes, 2}))) FAIL_CHECK("not JSON for " << a << " " << b);
    }
}
