#include "json/suggestion.h"

#include <doctest/doctest.h>

using namespace patchbay::core;

TEST_CASE("two swapped letters count as one mistake") {
  CHECK(patchbay::core::json::suggest("nwe", {"run", "new"}) == "new");
  CHECK(patchbay::core::json::suggest("serev", {"check", "serve"}) == "serve");
}

TEST_CASE("a typing error gets the name that was meant") {
  const std::vector<std::string_view> names = {"listen", "threads", "level", "AdminSharedSecret"};
  CHECK(json::suggest("lisen", names) == "listen");
  CHECK(json::suggest("thread", names) == "threads");
  CHECK(json::suggest("adminsharedsecret", names) == "AdminSharedSecret");
  CHECK(json::suggest("colour", names).empty());
  CHECK(json::suggest("", names).empty());
  CHECK(json::suggest(std::string(100000, 'x'), names).empty());
}
