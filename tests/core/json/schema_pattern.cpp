#include "json/schema_pattern.h"

#include <doctest/doctest.h>

#include <chrono>
#include <string>

using namespace patchbay::core;

TEST_CASE("a pattern matches anywhere unless it has anchors") {
  const auto phone = json::Pattern::compile("^\\+[1-9][0-9]{6,14}$");
  CHECK(phone.ok());
  CHECK(phone.value().found_in("+4930123456"));
  CHECK_FALSE(phone.value().found_in("+04930123456"));
  CHECK_FALSE(phone.value().found_in("+4930123456x"));
  CHECK(json::Pattern::compile("b+").value().found_in("abbc"));
}

TEST_CASE("a pattern that makes backtracking engines exponential ends at once") {
  const auto evil = json::Pattern::compile("^(a+)+$");
  const auto start = std::chrono::steady_clock::now();
  CHECK_FALSE(evil.value().found_in(std::string(1000, 'a') + "b"));
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
}

TEST_CASE("long subjects and impossible patterns are refused") {
  CHECK_FALSE(json::Pattern::compile("a").value().found_in(std::string(1025, 'a')));
  CHECK_FALSE(json::Pattern::compile("(").ok());
  CHECK_FALSE(json::Pattern::compile("(a)\\1").ok());
}
