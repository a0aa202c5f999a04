#include "json/parse.h"

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <string>

using namespace patchbay;
using namespace patchbay::core;

namespace {

std::string error(std::string_view text, json::Limits limits = {}) {
  auto result = json::parse(text, limits);
  CHECK_FALSE(result.ok());
  return result.ok() ? "accepted" : result.error().text;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("an exponent that crashes RapidJSON is refused") {
  CHECK(contains(error("1.00000000000000e-2147483639"), "out of range"));
  CHECK(contains(error("[1e99999999999999999999]"), "out of range"));
  CHECK(contains(error("1e400"), "out of range"));
  CHECK(contains(error("1" + std::string(400, '0')), "too long"));
  CHECK(json::parse("1e0000000000000000000001").ok());
  CHECK(json::parse("1e-400").ok());
}

TEST_CASE("nothing is read beyond a text that ends inside a string") {
  const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  void* const pages = ::mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(pages != MAP_FAILED);
  char* const end = static_cast<char*>(pages) + page;
  REQUIRE(::mprotect(end, page, PROT_NONE) == 0);
  for (const std::string_view text :
       {"\"", "\"\\", "{\"a\\", "\"a\\u00", "\"0123456789abcdef0123456789abcdef\\"}) {
    std::memcpy(end - text.size(), text.data(), text.size());
    CHECK_FALSE(json::parse({end - text.size(), text.size()}).ok());
  }
  ::munmap(pages, 2 * page);
}

TEST_CASE("a million brackets are refused without using the stack") {
  CHECK(contains(error(std::string(1000000, '[')), "nested too deeply"));
}

TEST_CASE("depth 32 is accepted and 33 refused") {
  const auto nested = [](size_t n) { return std::string(n, '[') + std::string(n, ']'); };
  CHECK(json::parse(nested(32)).ok());
  CHECK_FALSE(json::parse(nested(33)).ok());
  CHECK(json::parse(nested(33), {.depth = 33}).ok());
}

TEST_CASE("a text beyond the size limit has another error code than an invalid one") {
  CHECK(json::parse("[1,2]", {.bytes = 5}).ok());
  CHECK(json::parse("[1,2]", {.bytes = 4}).error().code == Code::exhausted);
  CHECK(json::parse("[1,]").error().code == Code::invalid);
}

TEST_CASE("errors name line, column and field, and quote nothing else") {
  CHECK(error("{\n  \"a\": tru\n}") == "JSON, line 2, column 11, in a: invalid value");
  const std::string text = error("[\n\x1b[31m" + std::string(500, 'x'));
  CHECK(text == "JSON, line 2, column 1: invalid value");
  CHECK(error(R"({"phone":"+4930" "apiKey":"SECRET"})") ==
        "JSON, line 1, column 18: missing a comma or '}' after an object member");
  CHECK(error(R"({"apiKey":"SECRET\q"})") ==
        "JSON, line 1, column 18, in apiKey: invalid escape character in string");
  CHECK_FALSE(contains(error(R"({"apiKey":1,"SECRET"})"), "SECRET"));
  CHECK_FALSE(contains(error(R"({SECRET})"), "SECRET"));
  CHECK(error(R"({"tags":["a",{"b":["\uD800"]}]})") ==
        "JSON, line 1, column 21, in b: a lone surrogate is not allowed");
  CHECK(contains(error("{\"\\u001b[31m" + std::string(500, 'x') + "\":tru}"), "in \\u001B[31mxxx"));
  CHECK(error("{\"" + std::string(500, 'x') + "\":tru}").size() < 120);
  CHECK(json::position("a\nbc", 3).line == 2);
  CHECK(json::position("a\nbc", 3).column == 2);
}

TEST_CASE("NUL, byte order mark, lone surrogates and bad UTF-8 are refused") {
  error(std::string_view("[1]\0", 4));
  error(std::string_view("[\"a\0b\"]", 7));
  CHECK(contains(error("\xEF\xBB\xBF{}"), "byte order mark"));
  CHECK(contains(error("[\"\\uDC00\"]"), "surrogate"));
  CHECK(contains(error("{\"\\uDC00\":1}"), "surrogate"));
  error("[\"\\uD800\"]");
  error("[\"\xED\xA0\x80\"]");
  error("[\"\xC0\x80\"]");
  error("[\"\xFF\"]");
  CHECK(json::parse("[\"\xED\x9F\xBF\"]").ok());
  error("");
  error(std::string_view());
}

TEST_CASE("control characters, bad UTF-8 and escapes are found at every position of a long string") {
  for (size_t at = 0; at < 80; ++at) {
    const auto text_with = [at](std::string_view part) {
      return "[\"" + std::string(at, 'a') + std::string(part) + std::string(80 - at, 'b') + "\"]";
    };
    const auto parsed = [&](std::string_view part) {
      const auto result = json::parse(text_with(part));
      CHECK(result.ok());
      return result.ok() ? std::string(result->root().element(0)->string()) : "";
    };
    const auto around = [at](std::string_view part) {
      return std::string(at, 'a') + std::string(part) + std::string(80 - at, 'b');
    };
    for (char c = 1; c < 0x20; ++c) CHECK_FALSE(json::parse(text_with({&c, 1})).ok());
    const std::string column = ", column " + std::to_string(at + 3) + ":";
    CHECK(contains(error(text_with("\x1F")), column));
    for (const std::string_view bad :
         {"\x80", "\xC3", "\xC0\x80", "\xED\xA0\x80", "\xFF", "\xF5\x80\x80\x80"})
      CHECK(contains(error(text_with(bad)), column));
    for (const std::string_view good : {"\x7F", "\xC3\xBC", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"})
      CHECK(parsed(good) == around(good));
    CHECK(parsed("\\n") == around("\n"));
    CHECK(parsed("\\\"") == around("\""));
    CHECK(parsed("\\u00e9\\\\") == around("\xC3\xA9\\"));
  }
}

TEST_CASE(
    "the number of values is limited, so that a text of many small ones cannot take many times its size in "
    "memory") {
  CHECK(json::parse("[0,{\"a\":null}]", {.values = 4}).ok());
  const auto refused = json::parse("[0,{\"a\":null}]", {.values = 3});
  CHECK_FALSE(refused.ok());
  CHECK(refused.error().code == Code::exhausted);
  CHECK(refused.error().text == "JSON, line 1, column 13, in a: it holds more than 3 values");
  std::string zeros = "[0";
  for (int i = 0; i < 1'000'000; ++i) zeros += ",0";
  CHECK(json::parse(zeros + "]", {.bytes = 16 << 20}).error().code == Code::exhausted);
}

TEST_CASE("a duplicate key is reported with its name and position") {
  CHECK(error("{\"a\":1,\n \"b\":2,\"a\":3,\"c\":4}") == "JSON, line 2, column 8: the key a appears twice");
  CHECK(error(R"({"x\\\"y":1, "x\\\"y":2})") == R"(JSON, line 1, column 14: the key x\\\"y appears twice)");
  std::string large = "{";
  for (int i = 0; i < 20; ++i) large += "\"k" + std::to_string(i) + "\":0,";
  CHECK(contains(error(large + "\n\"k7\":0,\n\"z\":0}"), "line 2, column 6: the key k7 appears twice"));
}

TEST_CASE("duplicate keys are refused in small and large objects") {
  CHECK(contains(error("{\"a\":1,\"b\":2,\"a\":3}"), "twice"));
  CHECK(contains(error("{\"a\":1,\"\\u0061\":3}"), "twice"));
  std::string large = "{";
  for (int i = 0; i < 5000; ++i) large += "\"k" + std::to_string(i) + "\":0,";
  CHECK(json::parse(large + "\"x\":0}").ok());
  CHECK(contains(error(large + "\"k7\":0}"), "twice"));
  CHECK(json::parse("{\"a\":{\"a\":{\"a\":1}}}").ok());
}
