#include <doctest/doctest.h>
#include <patchbay/json.h>

#include <cstdint>
#include <limits>

using patchbay::JsonView;
using patchbay::JsonWriter;

TEST_CASE("commas are written between members and elements only") {
  JsonWriter w;
  w.object().member("ok", true).key("data").array().value(1).value("two").object().end().array().end().end();
  w.member("last", 3).end();
  CHECK(w.str() == R"({"ok":true,"data":[1,"two",{},[]],"last":3})");
}

TEST_CASE("an empty array first in an array is followed by a comma") {
  JsonWriter w;
  w.array().array().end().array().end().end();
  CHECK(w.str() == "[[],[]]");
}

TEST_CASE("quotes, backslashes and control characters are escaped, UTF-8 is not") {
  JsonWriter w;
  w.value(std::string("a\"b\\c\n\x01\x1f ü"));
  CHECK(w.str() == "\"a\\\"b\\\\c\\n\\u0001\\u001f ü\"");
}

TEST_CASE("what is not UTF-8 is written as U+FFFD, so that the text is JSON") {
  JsonWriter w;
  w.object().member("a\xff", "\xc3").end();
  CHECK(w.str() == "{\"a\xef\xbf\xbd\":\"\xef\xbf\xbd\"}");
}

TEST_CASE("keys are escaped as well") {
  JsonWriter w;
  w.object().member("a\"b", 1).end();
  CHECK(w.str() == R"({"a\"b":1})");
}

TEST_CASE("a NUL in a string is escaped and does not end it") {
  JsonWriter w;
  w.value(std::string_view("a\0b", 3));
  CHECK(w.str() == "\"a\\u0000b\"");
}

TEST_CASE("the smallest and largest integers are written exactly") {
  JsonWriter w;
  w.array()
      .value(std::numeric_limits<int64_t>::min())
      .value(std::numeric_limits<uint64_t>::max())
      .value(int8_t{-1})
      .end();
  CHECK(w.str() == "[-9223372036854775808,18446744073709551615,-1]");
}

TEST_CASE("numbers that JSON cannot hold are null") {
  JsonWriter w;
  w.array().value(std::numeric_limits<double>::quiet_NaN()).value(-std::numeric_limits<double>::infinity());
  w.value(0.5).end();
  CHECK(w.str() == "[null,null,0.5]");
}

TEST_CASE("a double survives being written and read") {
  JsonWriter w;
  w.value(0.1);
  CHECK(std::stod(w.str()) == 0.1);
}

TEST_CASE("raw JSON is inserted unchanged") {
  JsonWriter w;
  w.object().key("a").raw(R"({"b":[1]})").key("c").null().end();
  CHECK(w.str() == R"({"a":{"b":[1]},"c":null})");
}

TEST_CASE("all accessors of an absent view return the fallback") {
  const JsonView none;
  CHECK(!none);
  CHECK(none.is_null());
  CHECK(none.size() == 0);
  CHECK(none["x"]["y"].text("fallback") == "fallback");
  CHECK(none.integer("x", 7) == 7);
  CHECK(none.number("x", 0.5) == 0.5);
  CHECK(none.boolean("x", true));
}

TEST_CASE("an empty document has no root") {
  const patchbay::Json none;
  CHECK(!none.root());
}
