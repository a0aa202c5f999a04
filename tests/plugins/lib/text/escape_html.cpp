#include "text/escape_html.h"

#include <doctest/doctest.h>

using patchbay::lib::escape_html;

TEST_CASE("text for HTML has no markup and no control characters") {
  CHECK(escape_html("") == "");
  CHECK(escape_html("a<b>&\"'c") == "a&lt;b&gt;&amp;&quot;&#39;c");
  CHECK(escape_html("&lt;") == "&amp;lt;");
  CHECK(escape_html("a\tb\nc") == "a\tb\nc");
  CHECK(escape_html(std::string_view("a\0\r\x1b\x7f", 5)) ==
        "a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
  CHECK(escape_html("\xc3\xa9") == "\xc3\xa9");
}
