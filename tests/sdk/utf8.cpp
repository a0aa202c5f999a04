#include "patchbay/utf8.h"

#include <doctest/doctest.h>

#include <string>

using namespace patchbay;

TEST_CASE("UTF-8 is what RFC 3629 says") {
  for (const char* good : {"", "a", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
                           "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"})
    CHECK(is_utf8(good));
  for (const char* bad : {"\x80", "\xc0\x80", "\xc1\xbf", "\xc3", "\xe0\x9f\xbf", "\xed\xa0\x80",
                          "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe2\x82", "\xff"})
    CHECK_FALSE(is_utf8(bad));
}

TEST_CASE("every code point is decoded, and its bytes are taken") {
  const std::string_view text = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80";
  size_t at = 0;
  for (const uint32_t code : {0x61U, 0xe9U, 0x20acU, 0x1f600U}) CHECK(next_code_point(text, at) == code);
  CHECK(at == text.size());
}

TEST_CASE("invalid UTF-8 is skipped byte by byte") {
  for (const char* bad : {"\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82", "\x80"}) {
    size_t at = 0;
    CHECK(next_code_point(bad, at) == kInvalidCodePoint);
    CHECK(at == 1);
  }
  CHECK(valid_utf8("a\xff\xc3\xa9\xe2\x82") == "a\xef\xbf\xbd\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd");
}

TEST_CASE("clipping never leaves half a character") {
  CHECK(clip_utf8("abc", 5) == "abc");
  CHECK(clip_utf8("a\xc3\xbc", 2) == "a");
  CHECK(clip_utf8("a\xc3\xbc", 3) == "a\xc3\xbc");
  CHECK(clip_utf8("\xf0\x9f\x98\x80", 2).empty());
}

TEST_CASE("clipping by characters counts characters") {
  CHECK(clip_characters("a\xc3\xbc\xf0\x9f\x98\x80z", 3) == "a\xc3\xbc\xf0\x9f\x98\x80");
  CHECK(clip_characters("ab", 2) == "ab");
  CHECK(clip_characters("ab", 0).empty());
}

TEST_CASE("characters that could deceive a reader are unprintable") {
  for (const uint32_t code : {0x0U, 0x1fU, 0x7fU, 0x9bU, 0xadU, 0x200bU, 0x202eU, 0x2028U, 0xfeffU, 0xe0041U})
    CHECK(is_unprintable(code));
  for (const uint32_t code : {0x20U, 0x7eU, 0xa0U, 0xe9U, 0x4e16U, 0x1f600U})
    CHECK_FALSE(is_unprintable(code));
}
