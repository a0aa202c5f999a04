#include "patchbay/name_values.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using patchbay::NameValues;

namespace {

struct Carrier {
  int64_t before = 7;
  NameValues values;
  std::string after = "behind";
  PATCHBAY_FIELDS(before, values, after)
};

struct Text {
  std::string text;
  PATCHBAY_FIELDS(text)
};
struct Named {
  NameValues values;
  PATCHBAY_FIELDS(values)
};

}  // namespace

TEST_CASE("values are found by their names, the first of several") {
  NameValues values{{"host", "a.example"}, {"cookie", "a=1"}, {"cookie", "b=2"}, {"empty", ""}};
  CHECK(values.size() == 4);
  CHECK(values.text("host") == "a.example");
  CHECK(values.text("cookie") == "a=1");
  CHECK(values.has("empty"));
  CHECK(values.find("empty") == "");
  CHECK_FALSE(values.has("hos"));
  CHECK_FALSE(values.has("a.example"));  // a value is no name
  CHECK(values.text("absent", "else") == "else");
  std::string all;
  for (const auto& [name, value] : values) all.append(name).append("=").append(value).append(";");
  CHECK(all == "host=a.example;cookie=a=1;cookie=b=2;empty=;");
  CHECK(NameValues().empty());
  CHECK(NameValues().begin() == NameValues().end());
}

TEST_CASE("numbers and truths are read from their texts, what is none is the fallback") {
  const NameValues values{{"n", "-42"},    {"big", "99999999999999999999"},
                          {"half", "0.5"}, {"word", "7x"},
                          {"yes", "true"}, {"no", "false"},
                          {"none", ""}};
  CHECK(values.integer("n") == -42);
  CHECK(values.integer("big", 1) == 1);
  CHECK(values.integer("word", 2) == 2);
  CHECK(values.integer("none", 3) == 3);
  CHECK(values.integer("absent", 4) == 4);
  CHECK(values.number("half") == 0.5);
  CHECK(values.number("n") == -42);
  CHECK(values.number("word", 2) == 2);
  CHECK(values.boolean("yes"));
  CHECK_FALSE(values.boolean("no", true));
  CHECK(values.boolean("word", true));
  CHECK_FALSE(values.boolean("absent"));
}

TEST_CASE("number() reads what JSON would, and nothing else") {
  const NameValues values{{"exponent", "-1.5e+2"}, {"nan", "nan"},   {"hexadecimal", "0x10"}, {"blank", " 7"},
                          {"infinite", "1e999"},   {"comma", "1,5"}, {"no digits", "-.5"},    {"plus", "+1"}};
  CHECK(values.number("exponent") == -150);
  for (const char* name : {"nan", "hexadecimal", "blank", "infinite", "comma", "no digits", "plus"}) {
    CAPTURE(name);
    CHECK(values.number(name, 2) == 2);
  }
}

TEST_CASE("a value of the list itself can be added under another name") {
  NameValues values{{"original", std::string(40, 'v')}};
  for (int i = 0; i < 8; ++i) values.add(std::string(100, 'n'), values.text("original"));
  for (const auto& [name, value] : values) CHECK(value == std::string(40, 'v'));
  CHECK(values.size() == 9);
}

TEST_CASE("a NUL cannot smuggle another pair in") {
  NameValues values;
  values.add("q", std::string("x\0role\0admin", 12));
  CHECK(values.size() == 1);
  CHECK(values.text("q") == "x");
  CHECK_FALSE(values.has("role"));
}

TEST_CASE("they cross the boundary between other members") {
  const Carrier sent{7, {{"a", "1"}, {"b", ""}}, "behind"};
  const patchbay::Packed<Carrier> packed(sent);
  const auto got = patchbay::unpack<Carrier>(packed.get());
  CHECK(got.values == sent.values);
  CHECK(got.after == "behind");
}

TEST_CASE("a wire form that is cut off is read without leaving it") {
  for (const std::string& wire : {std::string("name"), std::string("name\0", 5),
                                  std::string("name\0value", 10), std::string("\0", 1)}) {
    const Text text{wire};
    const patchbay::Packed<Text> packed(text);
    const auto got = patchbay::unpack<Named>(packed.get());
    CHECK(got.values.size() == 1);
    CHECK_FALSE(got.values.has("value"));
  }
}
