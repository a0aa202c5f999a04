#include "json/writer.h"

#include <doctest/doctest.h>

#include <limits>

#include "json/parse.h"

using namespace patchbay::core;

TEST_CASE("written values read back the same") {
  for (const char* text : {"null", "[]", "{}", "[true,false]", R"({"a":[1,2.5,-3e+100],"b":{"c":"d"}})",
                           R"(["\"\\\n\u0001é€😀"])", "[9223372036854775807,-9223372036854775808]"}) {
    const auto first = json::parse(text);
    CHECK(first.ok());
    const std::string written = json::write(first.value().root());
    CHECK(written == text);
    CHECK(json::equal(json::parse(written).value().root(), first.value().root()));
  }
}

TEST_CASE("values that JSON cannot express are replaced") {
  json::Writer writer;
  writer.begin_array()
      .value(std::numeric_limits<double>::infinity())
      .value(std::string_view("\xFF"
                              "a"))
      .end_array();
  CHECK(writer.text() ==
        "[null,\"\xEF\xBF\xBD"
        "a\"]");
}

TEST_CASE("members and nested values are separated by commas") {
  json::Writer writer;
  writer.begin_object().member("a", 1).member("b", "x").key("c").begin_array().value(true).null().end_array();
  writer.key("d").begin_object().end_object().key("e").raw("[1]").member("f", 0.1).end_object();
  CHECK(writer.take() == R"({"a":1,"b":"x","c":[true,null],"d":{},"e":[1],"f":0.1})");
}
