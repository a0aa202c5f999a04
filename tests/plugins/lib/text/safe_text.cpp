#include "text/safe_text.h"

#include <doctest/doctest.h>

using namespace patchbay::lib;

TEST_CASE("what is not UTF-8 becomes a replacement character") {
  CHECK(valid_text("Grüß Gott, 你好 🙂") == "Grüß Gott, 你好 🙂");
  CHECK(valid_text("x\xC3") == "x\xEF\xBF\xBD");
  CHECK(valid_text("\x80\xFFy") == "\xEF\xBF\xBD\xEF\xBF\xBDy");
  CHECK(valid_text(std::string_view("a\0b", 3)) ==
        "a\xEF\xBF\xBD"
        "b");
  CHECK(valid_text("") == "");
}

TEST_CASE("a character that is cut between two fragments stays whole") {
  const std::string text = "aä€🙂z";
  for (size_t first = 0; first <= text.size(); ++first)
    for (size_t second = first; second <= text.size(); ++second) {
      TextFragments fragments;
      std::string out = fragments.take(text.substr(0, first));
      out += fragments.take(text.substr(first, second - first));
      out += fragments.take(text.substr(second));
      CHECK(out == text);
    }
}

TEST_CASE("fragments of bytes without sense end as replacement characters and nothing is kept") {
  TextFragments fragments;
  CHECK(fragments.take("\xE2\x82") == "");
  CHECK(fragments.take("x") == "\xEF\xBF\xBD\xEF\xBF\xBDx");
  CHECK(fragments.take("\xBF\xBF\xBF\xBF") == "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST_CASE("a secret is replaced wherever it stands, and one made of asterisks ends as well") {
  CHECK(redact_secret("key test-key and test-key.", "test-key") == "key *** and ***.");
  CHECK(redact_secret("no key", "test-key") == "no key");
  CHECK(redact_secret("quoted ******** here", "********") == "quoted *** here");
  for (const char* secret : {"*", "**", "***", "", "key"})
    CHECK(redact_secret("a *** key", secret) == "a *** key");
}

TEST_CASE("a secret that is cut off is replaced, unless little of it is left") {
  CHECK(redact_secret("closed (1008 bad key test-key-of-acm)", "test-key-of-acme") ==
        "closed (1008 bad key ***)");
  CHECK(redact_secret("bad key test-key", "test-key-of-acme") == "bad key ***");
  CHECK(redact_secret("bad key test-ke", "test-key-of-acme") == "bad key test-ke");
  CHECK(redact_secret("test-test-key-of-acmetest-key-of-acme", "test-key-of-acme") == "test-******");
}

TEST_CASE("a peer's text cannot break a log line") {
  CHECK(printable("plain") == "plain");
  CHECK(printable("a\r\n\x1b[31m") == "a\\x0d\\x0a\\x1b[31m");
  CHECK(printable("gr\xc3\xbc\xc3\x9f") == "gr\xc3\xbc\xc3\x9f");
  CHECK(printable("\xff\xc3") == "??");
  CHECK(printable(std::string(300, 'x'), 10) == "xxxxxxxxxx…");
}
