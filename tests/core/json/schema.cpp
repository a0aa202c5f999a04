#include "json/schema.h"

#include <doctest/doctest.h>

#include <string>

#include "json/parse.h"
#include "json/writer.h"

using namespace patchbay;
using namespace patchbay::core;

namespace {

struct Outcome {
  std::string value;
  std::string errors;  // one per line
};

Outcome check(const char* schema, const char* value, json::CheckOptions options = {}) {
  auto compiled = json::Schema::compile(schema);
  auto parsed = json::parse(value);
  CHECK(compiled.ok());
  CHECK(parsed.ok());
  if (!compiled.ok() || !parsed.ok()) return {};
  const json::Checked checked = compiled.value().check(parsed.value().root(), options);
  Outcome outcome{json::write(checked.value.root()), ""};
  for (const auto& violation : checked.violations) outcome.errors += violation.sentence() + "\n";
  return outcome;
}

std::string errors(const char* schema, const char* value, json::Mode mode = json::Mode::request) {
  return check(schema, value, {.mode = mode}).errors;
}

constexpr const char* kCall = R"({"type":"object","required":["phone"],"properties":{
  "phone":{"type":"string","pattern":"^\\+[0-9]+$","x-rule":"be + and digits","example":"+4930123456","maxLength":16},
  "maxSeconds":{"type":"integer","minimum":10,"maximum":3600,"default":600},
  "voice":{"type":"string","enum":["Alice","Bob"],"x-ignore-case":true},
  "tags":{"type":"array","items":{"type":"string","minLength":1},"minItems":1,"maxItems":2},
  "email":{"type":["string","null"]}}})";

}  // namespace

TEST_CASE("a request is returned in canonical form with its defaults") {
  const Outcome out = check(kCall, R"({"Voice":"aLiCe","extra":1,"Phone":"+49","email":null})");
  CHECK(out.errors.empty());
  CHECK(out.value == R"({"phone":"+49","maxSeconds":600,"voice":"Alice","email":null})");
}

TEST_CASE("an error names the field and the bound") {
  CHECK(errors(kCall, R"({"phone":"+49","maxSeconds":9})") == "maxSeconds must be at least 10\n");
  CHECK(errors(kCall, R"({"phone":"+49","maxSeconds":3601})") == "maxSeconds must be at most 3600\n");
  CHECK(errors(kCall, R"({"phone":"+49","maxSeconds":10.5})") ==
        "maxSeconds must be an integer; for example 600\n");
  CHECK(errors(kCall, R"({"phone":"+49","maxSeconds":true})") ==
        "maxSeconds must be an integer; for example 600\n");
  CHECK(errors(kCall, R"({"phone":"+49","maxSeconds":"60"})") ==
        "maxSeconds must be an integer; for example 600\n");
  CHECK(errors(kCall, R"({"maxSeconds":60.0})") == "phone is required; for example \"+4930123456\"\n");
  CHECK(errors(kCall, R"({"phone":"49"})") == "phone must be + and digits; for example \"+4930123456\"\n");
  CHECK(errors(kCall, R"({"phone":true})") == "phone must be a string; for example \"+4930123456\"\n");
  CHECK(errors(kCall, R"({"phone":"+4911111111111111"})") == "phone must have at most 16 characters\n");
  CHECK(errors(kCall, R"({"phone":"+49","voice":"Bop"})") ==
        "voice must be one of \"Alice\", \"Bob\"; did you mean Bob?\n");
  CHECK(errors(kCall, R"({"phone":"+49","tags":[]})") == "tags must have at least 1 item\n");
  CHECK(errors(kCall, R"({"phone":"+49","tags":["a",""]})") == "tags[1] must not be empty\n");
  CHECK(errors(kCall, R"({"phone":"+49","tags":["a","b","c"]})") == "tags must have at most 2 items\n");
  CHECK(errors(kCall, R"({"phone":"+49","email":7})") == "email must be a string or null\n");
  CHECK(errors(kCall, "[]") == "the value must be an object\n");
}

TEST_CASE("an error about a missing value or a wrong type shows an example of the schema") {
  const auto missing = [](const std::string& rule) {
    return errors((R"({"required":["a"],"properties":{"a":)" + rule + "}}").c_str(), "{}");
  };
  CHECK(missing(R"({"type":"string"})") == "a is required\n");
  CHECK(missing(R"({"type":"string","examples":["b","c"]})") == "a is required; for example \"b\"\n");
  CHECK(missing(R"({"type":"string","format":"uri"})") ==
        "a is required; for example \"https://example.com/path\"\n");
  CHECK(missing(R"({"type":"integer","minimum":10})") == "a is required; for example 10\n");
  CHECK(missing(R"({"type":"number","maximum":0})") == "a is required\n");
  CHECK(missing(R"({"type":"array","items":{"type":"integer"}})") == "a is required; for example [1]\n");
  CHECK(missing(R"({"enum":["b","c"]})") == "a is required; it must be one of \"b\", \"c\"\n");
  CHECK(missing(R"({"type":"string","x-secret":true,"example":"b"})") == "a is required\n");
  CHECK(missing(R"({"type":"string","example":")" + std::string(100, 'b') + "\"}") == "a is required\n");
  CHECK(errors(kCall, R"({"phone":"+49","voice":1})") ==
        "voice must be a string; it must be one of \"Alice\", \"Bob\"\n");
}

TEST_CASE("an error that is too long lists whole faults and counts the rest") {
  const auto schema = json::Schema::compile(kCall);
  const auto value = json::parse(R"({"phone":7,"maxSeconds":9,"voice":"Bob","tags":[],"email":8})");
  REQUIRE(schema.ok());
  REQUIRE(value.ok());
  const json::Checked checked = schema->check(value->root(), {});
  const std::string whole = checked.error().text;
  CHECK(whole ==
        "phone must be a string; for example \"+4930123456\". maxSeconds must be at least 10. tags must have "
        "at "
        "least 1 item. email must be a string or null");
  CHECK(checked.error(whole.size()).text == whole);
  const std::string short_one =
      "phone must be a string. maxSeconds must be at least 10. tags must have at least 1 item. email must be "
      "a "
      "string or null";
  CHECK(checked.error(whole.size() - 1).text == short_one);
  CHECK(checked.error(short_one.size() - 1).text ==
        "phone must be a string. maxSeconds must be at least 10. tags must have at least 1 item. And 1 more "
        "fault: email");
  CHECK(checked.error(60).text == "phone must be a string. And 3 more faults: maxSeconds, tags");
  CHECK(checked.error(35).text == "phone must be a. And 3 more faults");
  for (size_t room = 25; room < whole.size(); ++room) CHECK(checked.error(room).text.size() <= room);
  const json::Checked counted = schema->check(value->root(), {.max_violations = 1});
  CHECK(counted.error().text == "phone must be a string; for example \"+4930123456\". And 3 more faults");
}

TEST_CASE("an error about a pattern shows its rule or an example, never the regular expression") {
  CHECK(errors(R"({"type":"string","pattern":"^a+$","examples":["aa"]})", "\"b\"") ==
        "the value is not written as it must be; for example \"aa\"\n");
  CHECK(errors(R"({"type":"string","pattern":"^a+$"})", "\"b\"") ==
        "the value is not written as its description says\n");
  CHECK(errors(R"({"type":"string","minLength":3,"pattern":"^a+$","x-rule":"hold only the letter a"})",
               "\"b\"") == "the value must have at least 3 characters\n");
  CHECK_FALSE(json::Schema::compile(R"({"pattern":"a","x-rule":7})").ok());
}

TEST_CASE("null for an optional field counts as absent") {
  CHECK(check(kCall, R"({"phone":"+49","maxSeconds":null,"Voice":null,"tags":null})").value ==
        R"({"phone":"+49","maxSeconds":600})");
  CHECK(errors(kCall, R"({"phone":null})") == "phone is required; for example \"+4930123456\"\n");
  CHECK(check(R"({"properties":{"any":{},"one":{"enum":["a"]},"none":{"enum":["a",null]}}})",
              R"({"any":null,"one":null,"none":null})")
            .value == R"({"any":null,"none":null})");
  CHECK(errors(kCall, R"({"phone":"+49","tags":[null]})") == "tags[0] must be a string\n");
}

TEST_CASE("NUL is refused in every string and name, and the error names the field") {
  for (const json::Mode mode : {json::Mode::request, json::Mode::config})
    CHECK(errors(kCall, R"({"phone":"+49\u0000"})", mode) == "phone must not hold the character U+0000\n");
  CHECK(errors(kCall, R"({"phone":"+49","tags":["\u0000"]})") ==
        "tags[0] must not hold the character U+0000\n");
  CHECK(errors(R"({"type":"object"})", R"({"a":[{"b":"x\u0000"}]})") ==
        "a[0].b must not hold the character U+0000\n");
  CHECK(errors(R"({"type":"array"})", R"(["\u0000"])") == "[0] must not hold the character U+0000\n");
  CHECK(errors(R"({"additionalProperties":{"type":"integer"}})", R"({"a\u0000":1})") ==
        "a\\u0000 is a name with the character U+0000\n");
  CHECK(errors(kCall, R"({"phone":"+49","dropped":"\u0000"})").empty());
}

TEST_CASE("an integer beyond 64 bits gets an error that names the bound") {
  CHECK(errors(kCall, R"({"phone":"+49","maxSeconds":99999999999999999999999})") ==
        "maxSeconds must be at most 3600\n");
  CHECK(errors(kCall, R"({"phone":"+49","maxSeconds":-99999999999999999999999})") ==
        "maxSeconds must be at least 10\n");
  CHECK(errors(R"({"type":"integer"})", "1e30") == "the value must be at most 9223372036854775807\n");
  CHECK(errors(R"({"type":"integer"})", "1.5") == "the value must be an integer; for example 1\n");
  CHECK(check(R"({"type":"integer","maximum":600,"x-snap":true})", "1e30").value == "600");
}

TEST_CASE("a default that violates its own rule is an error of the schema") {
  const auto problem = [](const char* text) {
    auto schema = json::Schema::compile(text);
    CHECK(schema.ok());
    const Status sound = schema ? schema->check_defaults() : Status();
    return sound.ok() ? std::string("sound") : sound.error().text;
  };
  CHECK(problem(R"({"properties":{"a":{"type":"integer","default":"foo"}}})") ==
        "schema keyword default: a must be an integer; write digits, without quotes");
  CHECK(problem(R"({"properties":{"l":{"items":{"properties":{"n":{"minimum":3,"default":2}}}}}})") ==
        "schema keyword default: l[].n must be at least 3");
  CHECK(
      problem(
          R"({"properties":{"s":{"type":"object","default":{},"properties":{"n":{"minimum":3,"default":3}}}}})") ==
      "sound");
}

TEST_CASE("the same field in both cases is refused") {
  CHECK(errors(kCall, R"({"phone":"+49","Phone":"+50"})") == "phone is given twice, also as Phone\n");
}

TEST_CASE("lengths count code points") {
  constexpr const char* kSchema = R"({"type":"string","minLength":2,"maxLength":3})";
  CHECK(errors(kSchema, "\"\xF0\x9F\x98\x80\xF0\x9F\x98\x80\xC3\xA9\"").empty());
  CHECK(errors(kSchema, "\"\xF0\x9F\x98\x80\"") == "the value must have at least 2 characters\n");
}

TEST_CASE("configuration refuses unknown names and suggests the right one") {
  constexpr const char* kSchema =
      R"({"type":"object","properties":{"listen":{"type":"string"},"n":{"type":"integer"}}})";
  CHECK(errors(kSchema, R"({"lisen":"x"})", json::Mode::config) ==
        "lisen is not a known field; did you mean listen?\n");
  CHECK(errors(kSchema, R"({"Listen":"x"})", json::Mode::config) ==
        "Listen is not a known field; did you mean listen?\n");
  CHECK(errors(kSchema, R"({"n":"5"})", json::Mode::config) ==
        "n must be an integer; write digits, without quotes\n");
  CHECK(errors(kSchema, R"({"n":null})", json::Mode::config).empty());
}

TEST_CASE("additionalProperties false holds for requests too, a schema checks the others") {
  CHECK(errors(R"({"properties":{"a":{}},"additionalProperties":false})", R"({"b":1})") ==
        "b is not a known field; known are a\n");
  constexpr const char* kMap = R"({"type":"object","additionalProperties":{"type":"integer","minimum":1}})";
  CHECK(check(kMap, R"({"x":1,"y":2})").value == R"({"x":1,"y":2})");
  CHECK(errors(kMap, R"({"x":0})", json::Mode::config) == "x must be at least 1\n");
  CHECK(check(R"({"type":"object"})", R"({"any":[1]})", {.mode = json::Mode::config}).value ==
        R"({"any":[1]})");
}

TEST_CASE("nested defaults are filled in where the object has a default") {
  constexpr const char* kSchema = R"({"type":"object","properties":{"Sfu":{"type":"object","default":{},
    "properties":{"StressWindowSec":{"type":"integer","minimum":5,"maximum":600,"default":30,"x-snap":true}}}}})";
  const json::CheckOptions config{.mode = json::Mode::config};
  CHECK(check(kSchema, "{}", config).value == R"({"Sfu":{"StressWindowSec":30}})");
  CHECK(check(kSchema, R"({"Sfu":{"StressWindowSec":4}})", config).value ==
        R"({"Sfu":{"StressWindowSec":5}})");
  CHECK(check(kSchema, R"({"Sfu":{"StressWindowSec":601}})", config).value ==
        R"({"Sfu":{"StressWindowSec":600}})");
}

TEST_CASE("paths carry the prefix and the array index") {
  constexpr const char* kSchema = R"({"type":"object","properties":{"trunks":{"type":"array","items":
    {"type":"object","required":["host"],"properties":{"host":{"type":"string"}}}}}})";
  const Outcome out = check(kSchema, R"({"trunks":[{}]})",
                            {.mode = json::Mode::config, .path = "tenants.acme.example.sip-trunk"});
  CHECK(out.errors == "tenants.acme.example.sip-trunk.trunks[0].host is required\n");
}

TEST_CASE("a scalar may be taken as it was written where a string is required") {
  json::CheckOptions options{.mode = json::Mode::config};
  options.spelling = [](uint32_t) { return std::string_view("+0049"); };
  CHECK(check(R"({"type":"string"})", "49", options).value == "\"+0049\"");
  CHECK(check(R"({"type":"integer"})", "49", options).value == "49");
}

TEST_CASE("secrets go through their resolver and are never quoted") {
  json::CheckOptions options{.mode = json::Mode::config};
  options.secret = [](const json::Node& node) -> Result<std::string> {
    if (node.find("file")) return std::string("from file");
    return {Code::invalid, "cannot be read"};
  };
  constexpr const char* kSchema = R"({"type":"string","x-secret":true,"minLength":5})";
  CHECK(check(kSchema, R"({"file":"x"})", options).value == "\"from file\"");
  CHECK(check(kSchema, "7", options).errors == "the value cannot be read\n");
}

TEST_CASE("violations stop at the limit") {
  const Outcome out =
      check(R"({"type":"array","items":{"type":"string"}})", "[1,2,3,4]", {.max_violations = 2});
  CHECK(out.errors == "[0] must be a string\n[1] must be a string\n");
}

TEST_CASE("a schema with a typing error does not compile") {
  for (const char* bad :
       {R"({"maximun":3})", R"({"type":"text"})", R"({"anyOf":[]})", R"({"pattern":"("})", "7",
        R"({"required":["a"]})", R"({"properties":{"a":{"minLength":-1}}})", R"({"enum":[]})", "{"})
    CHECK_FALSE(json::Schema::compile(bad).ok());
  CHECK(json::Schema::compile(R"({"properties":{"a":{"minimun":1}}})").error().text ==
        "property a: schema keyword minimun is not supported");
  CHECK(
      json::Schema::compile(R"({"title":"x","description":"y","x-own":{"z":1},"format":"email","example":1})")
          .ok());
}

TEST_CASE("const and enum compare by meaning") {
  CHECK(errors(R"({"const":1})", "1.0").empty());
  CHECK(errors(R"({"enum":[1,"a",true]})", "true").empty());
  CHECK(errors(R"({"enum":[1,"a",true]})", "false") == "the value must be one of 1, \"a\", true\n");
  CHECK(errors(R"({"format":"uri"})", "\"nowhere\"") ==
        "the value must be a URI such as https://example.com/path\n");
  CHECK(errors(R"({"format":"date-time"})", "\"2026-01-01T00:00:00Z\"").empty());
}
