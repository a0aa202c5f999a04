#include "patchbay/random_id.h"

#include <doctest/doctest.h>

#include <set>
#include <string>

using patchbay::Code;
using patchbay::random_id;

TEST_CASE("ids have the requested number of hexadecimal digits after the prefix") {
  for (const std::size_t digits : {0U, 1U, 24U, 31U, 512U}) {
    const auto id = random_id("note-", digits);
    REQUIRE(id);
    CHECK(id->size() == 5 + digits);
    CHECK(id->rfind("note-", 0) == 0);
    CHECK(id->find_first_not_of("0123456789abcdef", 5) == std::string::npos);
  }
  CHECK(random_id()->size() == 24);
  const auto refused = random_id("", 513);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == Code::invalid);
}

TEST_CASE("ids are unique, and every digit takes every value") {
  std::set<std::string> ids;
  std::set<char> digits[24];
  for (int i = 0; i < 2000; ++i) {
    const std::string id = *random_id();
    ids.insert(id);
    for (std::size_t at = 0; at < id.size(); ++at) digits[at].insert(id[at]);
  }
  CHECK(ids.size() == 2000);
  for (const auto& seen : digits) CHECK(seen.size() == 16);
}
