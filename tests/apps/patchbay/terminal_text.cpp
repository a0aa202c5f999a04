#include "terminal_text.h"

#include <doctest/doctest.h>

#include "json/parse.h"

using namespace patchbay::app;

namespace {

patchbay::core::json::Document json(const char* text) {
  auto document = patchbay::core::json::parse(text);
  REQUIRE(document.ok());
  return *std::move(document);
}

}  // namespace

TEST_CASE("columns of tables are aligned") {
  CHECK(table({"A", "B"}, {}) == "none\n");
  CHECK(table({"A", "B"}, {{"äöü", "1"}, {"x", "22"}}) == "A    B\näöü  1\nx    22\n");
}

TEST_CASE("control characters in received text do not reach the terminal") {
  const auto document = json(R"({"a":"x\u001b[2J\ny","n":5,"z":null})");
  CHECK(member(document.root(), "a") == "x [2J y");
  CHECK(member(document.root(), "n") == "5");
  CHECK(member(document.root(), "z").empty());
  CHECK(member(document.root(), "missing").empty());
}
