#include "json/document.h"

#include <doctest/doctest.h>

#include <string>

#include "json/builder.h"
#include "json/parse.h"
#include "json/writer.h"

using namespace patchbay::core;

TEST_CASE("a document is read by key and by index") {
  auto parsed = json::parse(R"({"name":"Ann","list":[1,true,null],"":{"x":0.5}})");
  CHECK(parsed.ok());
  const json::Document doc = std::move(parsed).value();
  const json::Node& root = doc.root();
  CHECK(root.size() == 3);
  CHECK(root.find("name")->string() == "Ann");
  CHECK(root.find("list")->size() == 3);
  CHECK(root.find("list")->element(1)->boolean());
  CHECK(root.find("list")->element(2)->is(json::Type::null));
  CHECK(root.find("list")->element(3) == nullptr);
  CHECK(root.member(2)->key.empty());
  CHECK(root.member(2)->value.find("x")->number() == 0.5);
  CHECK(root.member(3) == nullptr);
  CHECK(root.find("missing") == nullptr);
  CHECK(root.find("name")->find("x") == nullptr);
  CHECK(root.find("name")->integer(7) == 7);
  CHECK(root.string("none") == "none");
}

TEST_CASE("a string may hold NUL") {
  const auto doc = json::parse(R"(["a\u0000b"])");
  CHECK(doc.value().root().element(0)->string() == std::string_view("a\0b", 3));
  CHECK(json::write(doc.value().root()) == R"(["a\u0000b"])");
}

TEST_CASE("values are equal by meaning") {
  const auto equal = [](const char* a, const char* b) {
    const auto left = json::parse(a), right = json::parse(b);
    return json::equal(left.value().root(), right.value().root());
  };
  CHECK(equal("1", "1.0"));
  CHECK(equal(R"({"a":1,"b":[2]})", R"({"b":[2.0],"a":1})"));
  CHECK_FALSE(equal(R"({"a":1})", R"({"b":1})"));
  CHECK_FALSE(equal("[1,2]", "[2,1]"));
  CHECK_FALSE(equal("1", "\"1\""));
  CHECK_FALSE(equal("9007199254740993", "9007199254740992"));
}

TEST_CASE("a builder makes the same tree and keeps origins") {
  const auto parsed = json::parse(R"({"a":[1,{"b":"c"}],"d":null})");
  json::Builder builder;
  builder.origin(42).begin_object();
  builder.key("a");
  builder.origin(43).begin_array();
  builder.integer(1);
  builder.begin_object();
  builder.key("b");
  builder.string("c");
  builder.end();
  builder.end();
  builder.key("d");
  builder.null();
  builder.end();
  const json::Document built = builder.finish();
  CHECK(json::equal(built.root(), parsed.value().root()));
  CHECK(built.root().origin() == 42);
  CHECK(built.root().find("a")->origin() == 43);

  json::Builder copier;
  copier.copy(built.root());
  const json::Document copy = copier.finish();
  CHECK(json::write(copy.root()) == json::write(built.root()));
  CHECK(copy.root().find("a")->origin() == 43);
}
