#include "config/yaml_value.h"

#include <doctest/doctest.h>

#include "config/yaml.h"
#include "json/writer.h"

using namespace patchbay::core;

namespace {

std::string convert(const std::string& yaml) {
  config::Problem problem;
  const auto value = config::read_yaml(yaml, problem);
  CHECK(value.has_value());
  config::SourceMap marks;
  return value ? json::write(config::to_json(*value, marks).root()) : "";
}

}  // namespace

TEST_CASE("plain scalars follow YAML 1.2, not 1.1") {
  CHECK(convert("[1, -2, +3, 0x1F, 0o17, 1.5, 1e3, 0049]") == "[1,-2,3,31,15,1.5,1000,49]");
  CHECK(convert("[true, False, null, ~]") == "[true,false,null,null]");
  CHECK(convert("[yes, no, on, off, 1_000, .inf, nan, +-1, 0x, 12:30:00]") ==
        R"(["yes","no","on","off","1_000",".inf","nan","+-1","0x","12:30:00"])");
  CHECK(convert("['1', \"true\", '']") == R"(["1","true",""])");
  CHECK(convert("99999999999999999999") == "1e+20");
}

TEST_CASE("a node's origin gives its position and spelling") {
  config::Problem problem;
  const auto value = config::read_yaml("number: +0049\nlist:\n  - 'x'\n", problem);
  config::SourceMap marks;
  const json::Document doc = config::to_json(*value, marks);
  const json::Node& number = *doc.root().find("number");
  CHECK(number.integer() == 49);
  CHECK(marks.spelling(number.origin()) == "+0049");
  const json::Node& item = *doc.root().find("list")->element(0);
  CHECK(marks.mark(item.origin()).line == 3);
  CHECK_FALSE(marks.spelling(item.origin()).has_value());
  CHECK(marks.mark(0).line == 0);
}
