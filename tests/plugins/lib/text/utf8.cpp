#include "text/utf8.h"

#include <doctest/doctest.h>

using patchbay::lib::clip_utf8;
using patchbay::lib::printable;

TEST_CASE("a peer's text cannot break a log line") {
  CHECK(printable("plain") == "plain");
  CHECK(printable("a\r\n\x1b[31m") == "a\\x0d\\x0a\\x1b[31m");
  CHECK(printable("gr\xc3\xbc\xc3\x9f") == "gr\xc3\xbc\xc3\x9f");
  CHECK(printable("\xff\xc3") == "??");
  CHECK(printable(std::string(300, 'x'), 10) == "xxxxxxxxxx…");
}

TEST_CASE("clipping never leaves half a character") {
  CHECK(clip_utf8("a\xc3\xbc", 2) == "a");
  CHECK(clip_utf8("a\xc3\xbc", 3) == "a\xc3\xbc");
}
