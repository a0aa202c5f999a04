#include "json/nearest.h"

#include <doctest/doctest.h>

using namespace patchbay::core;

TEST_CASE("two letters that were swapped are one mistake") {
  CHECK(patchbay::core::json::nearest("nwe", {"run", "new"}) == "new");
  CHECK(patchbay::core::json::nearest("serev", {"check", "serve"}) == "serve");
}

TEST_CASE("a typing error finds the name it meant") {
  const std::vector<std::string_view> names = {"listen", "threads", "level", "AdminSharedSecret"};
  CHECK(json::nearest("lisen", names) == "listen");
  CHECK(json::nearest("thread", names) == "threads");
  CHECK(json::nearest("adminsharedsecret", names) == "AdminSharedSecret");
  CHECK(json::nearest("colour", names).empty());
  CHECK(json::nearest("", names).empty());
  CHECK(json::nearest(std::string(100000, 'x'), names).empty());
}
