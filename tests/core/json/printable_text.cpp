#include "json/printable_text.h"

#include <doctest/doctest.h>

using namespace patchbay::core;

TEST_CASE("code points are counted, not bytes") {
  CHECK(json::code_points("") == 0);
  CHECK(json::code_points("a\xC3\xA9\xF0\x9F\x98\x80") == 3);
  CHECK(json::code_points("\xFF\xFE") == 2);
}

TEST_CASE("text for messages contains only printable ASCII") {
  CHECK(json::printable("a\"\n\x1b\xC3\xA9\xFF", 20) == "a\\\"\\u000A\\u001B\\u00E9\\xFF");
  CHECK(json::printable("abcdef", 3) == "abc");
}
