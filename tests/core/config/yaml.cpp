#include "config/yaml.h"

#include <doctest/doctest.h>

#include <string>

using namespace patchbay::core::config;

namespace {

// Returns "line:column text", or "" for a valid text.
std::string fault(const std::string& text) {
  Problem problem;
  if (read_yaml(text, problem)) return "";
  return std::to_string(problem.line) + ":" + std::to_string(problem.column) + " " + problem.text;
}

Value good(const std::string& text) {
  Problem problem;
  auto value = read_yaml(text, problem);
  CHECK_MESSAGE(value.has_value(), problem.text);
  return value ? *value : Value{};
}

}  // namespace

TEST_CASE("mappings, lists and scalars keep their positions") {
  const Value root = good("a: 1\nb:\n  - 'x'\n  - y: ~\n");
  CHECK(root.kind == Value::Kind::map);
  CHECK(root.find("a")->value.kind == Value::Kind::plain);
  CHECK(root.find("b")->mark.line == 2);
  const Value& list = root.find("b")->value;
  CHECK(list.items.at(0).kind == Value::Kind::quoted);
  CHECK(list.items.at(0).mark.line == 3);
  CHECK(list.items.at(0).mark.column == 5);
  CHECK(list.items.at(1).find("y")->value.kind == Value::Kind::null);
}

TEST_CASE("an empty file is an empty mapping") {
  CHECK(good("").kind == Value::Kind::map);
  CHECK(good("# nothing\n").kind == Value::Kind::map);
  CHECK(good("---\n").kind == Value::Kind::map);
  CHECK(good("\xEF\xBB\xBF"
             "a: b\n")
            .find("a"));
}

TEST_CASE("errors that yaml-cpp accepts are refused with their position") {
  CHECK(fault("a: 1\nb: 2\na: 3\n") == "3:1 the key a appears twice");
  CHECK(fault("a: {x: 1, x: 2}\n") == "1:11 the key x appears twice");
  CHECK(fault("a: 1\n---\nb: 2\n").find("a second document begins") != std::string::npos);
  CHECK(fault("a:\n\tb: 1\n") == "2:1 the indentation contains a tab");
  CHECK(fault("a: !ruby/object 1\n").find("a tag is not allowed") != std::string::npos);
  CHECK(fault("[1, 2]: x\n").find("a key must be a word") != std::string::npos);
  CHECK(fault("? {a: b}\n: x\n").find("a key must be a word") != std::string::npos);
  CHECK(fault("a: \xFF\n") == "1:4 a byte that is not text");
  CHECK(fault(std::string("a: b\0c\n", 7)) == "1:5 a byte that is not text");
  CHECK(fault("a: [1\n").find("not YAML") != std::string::npos);
  CHECK(fault("a: b\n c: d\n").substr(0, 2) == "2:");
}

TEST_CASE("tags of the core schema that change nothing are allowed") {
  CHECK(good("a: !!str 12\n").find("a")->value.kind == Value::Kind::quoted);
  CHECK(good("a: !!map {b: c}\n").find("a")->value.find("b"));
}

TEST_CASE("aliases are copies") {
  const Value root = good("a: &x {k: v}\nb: *x\nc: [*x, *x]\n");
  CHECK(root.find("b")->value.find("k")->value.text == "v");
  CHECK(root.find("c")->value.items.size() == 2);
}

TEST_CASE("an alias inside the node that it names is refused") {
  CHECK(fault("a: &x [1, *x]\n").find("inside the node that it names") != std::string::npos);
  CHECK(fault("&r\na: *r\n").find("inside the node that it names") != std::string::npos);
  CHECK(fault("a: *unknown\n").find("not YAML") != std::string::npos);
}

TEST_CASE("alias bombs are limited to ten thousand values or four megabytes") {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string below = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int k = 0; k < 9; ++k) bomb += (k ? ", " : "") + below;
    bomb += "]\n";
  }
  CHECK(fault(bomb).find("more than 10000 values") != std::string::npos);

  std::string heavy = "a: &a " + std::string(500000, 'x') + "\nb: [";
  for (int i = 0; i < 20; ++i) heavy += "*a, ";
  CHECK(fault(heavy + "]\n").find("more than") != std::string::npos);

  std::string many = "a:\n";
  for (int i = 0; i < 10001; ++i) many += "- 1\n";
  CHECK(fault(many).find("more than 10000 values") != std::string::npos);
}

TEST_CASE("size and depth are limited") {
  CHECK(fault("a: " + std::string(1 << 20, 'x')) == "1:1 the file is longer than 1 MiB");
  CHECK(fault("a: " + std::string(40, '[') + std::string(40, ']')).find("nested too deeply") !=
        std::string::npos);
  CHECK_FALSE(fault("a: " + std::string(100000, '[')).empty());
  CHECK_FALSE(fault(std::string(100000, '{')).empty());
  std::string stairs;
  for (int i = 0; i < 500; ++i) stairs += std::string(static_cast<size_t>(i), ' ') + "a:\n";
  CHECK_FALSE(fault(stairs).empty());
}

TEST_CASE("a truncated file is read or refused, and nothing crashes") {
  const std::string file =
      "server:\n  data: ./x\ntenants:\n  a.b: &t {primary: true, k: [1, 'two', \"three\"]}\n  c: *t\n";
  for (size_t size = 0; size <= file.size(); ++size) fault(file.substr(0, size));
}
