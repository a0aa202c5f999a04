#include "json/parse_number.h"

#include <doctest/doctest.h>

#include <string>

#include "json/parse.h"
#include "json/writer.h"

using namespace patchbay::core;

namespace {

std::string read(const std::string& text) {
  const auto parsed = json::parse(text);
  return parsed ? json::write(parsed.value().root()) : parsed.error().text;
}

}  // namespace

TEST_CASE("integers are exact up to int64 and doubles beyond") {
  const auto doc = json::parse(
      "[9007199254740993,-9223372036854775808,9223372036854775807,9223372036854775808,1.5,1.0,1e3]");
  const json::Node& list = doc.value().root();
  CHECK(list.element(0)->integer() == 9007199254740993);
  CHECK(list.element(1)->integer() == INT64_MIN);
  CHECK(list.element(2)->integer() == INT64_MAX);
  CHECK_FALSE(list.element(3)->is_integer());
  CHECK(list.element(3)->number() == 9223372036854775808.0);
  CHECK_FALSE(list.element(4)->is_integer());
  CHECK(list.element(5)->is_integer());
  CHECK(list.element(6)->integer() == 1000);
}

TEST_CASE("doubles are the nearest to what was written") {
  CHECK(read("0.1") == "0.1");
  CHECK(read("1.7976931348623157e308") == "1.7976931348623157e+308");
  CHECK(read("5e-324") == "5e-324");
  CHECK(read("123456789012345678901234567890") == "1.2345678901234568e+29");
  CHECK(read("-0.0000000000000000000000000000000000000000") == "0");
}

TEST_CASE("numbers that are too small become 0, those that are too large are refused") {
  for (const char* tiny : {"1e-400", "-1e-9999", "0.00000000000000000001e-310", "1000000e-400"})
    CHECK(read(tiny) == "0");
  CHECK(read("0." + std::string(390, '0') + "1") == "0");
  for (const char* huge : {"1e309", "-1E+9999", "1000000e305", "1.8e308"})
    CHECK(read(huge).find("out of range") != std::string::npos);
  CHECK(read(std::string(390, '9')).find("JSON, line 1") == 0);
}
