#include "entry_store.h"

#include <doctest/doctest.h>

using patchbay::whitelist::cut_comment;

TEST_CASE("a comment is cut to 200 characters, not bytes") {
  CHECK(cut_comment("") == "");
  CHECK(cut_comment(std::string(200, 'a')) == std::string(200, 'a'));
  CHECK(cut_comment(std::string(201, 'a')) == std::string(200, 'a'));
  std::string umlauts, expected;
  for (int i = 0; i < 300; ++i) umlauts += "\xc3\xa4";
  for (int i = 0; i < 200; ++i) expected += "\xc3\xa4";
  CHECK(cut_comment(umlauts) == expected);
}
