#include "config/file_schema.h"

#include <doctest/doctest.h>

#include "json/parse.h"
#include "json/schema.h"
#include "json/writer.h"

using namespace patchbay::core;

namespace {

json::Document tree(const std::string& text) {
  auto parsed = json::parse(text);
  CHECK(parsed.ok());
  return std::move(parsed).value();
}

std::string canonical(const std::string& file_schema, const std::string& value) {
  auto schema = json::Schema::compile(file_schema);
  CHECK_MESSAGE(schema.ok(), (schema.ok() ? "" : schema.error().text));
  const json::Document parsed = tree(value);
  const json::Checked checked = schema.value().check(parsed.root(), {.mode = json::Mode::config});
  return checked.ok() ? json::write(*checked.value.root().find("tenants")) : checked.error().text;
}

// The defaults of platform-v1.md.
const std::string kSfu =
    R"("Sfu":{"AutoPromoteHumanCount":6,"AutoPromoteBwMinHumans":3,"StressWindowSec":30,"MinStressedPeers":2,)"
    R"("BwDegradedSuppressSec":300,"StressBwMbpsThreshold":1.5,"StressLossPctThreshold":5,"StressRttMsThreshold":300})";

}  // namespace

TEST_CASE("a section without a schema accepts no keys, and one of an unknown manifest any") {
  const json::Document hello = tree(R"({"plugin":{"properties":{"greeting":{"type":"string"}}}})");
  const json::Document silent = tree("{}");
  const auto file_schema =
      config::full_file_schema({{"hello", &hello.root()}, {"silent", &silent.root()}, {"broken", nullptr}});
  CHECK(canonical(file_schema.value(), R"({"tenants":{"a":{"hello":{"x":1}}}})") ==
        "tenants.a.hello.x is not a known field");
  CHECK(canonical(file_schema.value(), R"({"plugins":{"silent":{"x":1}},"tenants":{}})")
            .find("plugins.silent.x is not a known field") == 0);
  CHECK(canonical(file_schema.value(), R"({"plugins":{"silent":{"isolation":"process"}},"tenants":{}})") ==
        "{}");
  CHECK(canonical(file_schema.value(),
                  R"({"plugins":{"broken":{"x":1}},"tenants":{"a":{"hello":{},"broken":{"y":1}}}})")
            .find(R"("broken":{"y":1})") != std::string::npos);
}

TEST_CASE("each tunable of the specification snaps to its bounds") {
  const auto file_schema = config::full_file_schema({});
  const auto given = [&](const std::string& key, const char* value) {
    const std::string text = canonical(
        file_schema.value(), R"({"tenants":{"a":{"WebPhone":{"Sfu":{")" + key + "\":" + value + "}}}}}");
    const size_t at = text.find("\"" + key + "\":") + key.size() + 3;
    return text.substr(at, text.find_first_of(",}", at) - at);
  };
  struct Bounds {
    const char *key, *low, *high;
  };
  for (const Bounds& b : std::initializer_list<Bounds>{{"AutoPromoteHumanCount", "2", "100"},
                                                       {"AutoPromoteBwMinHumans", "2", "100"},
                                                       {"StressWindowSec", "5", "600"},
                                                       {"MinStressedPeers", "2", "100"},
                                                       {"BwDegradedSuppressSec", "30", "86400"},
                                                       {"StressBwMbpsThreshold", "0.1", "1000"},
                                                       {"StressLossPctThreshold", "0.1", "50"},
                                                       {"StressRttMsThreshold", "50", "10000"}}) {
    CHECK(given(b.key, "-1") == b.low);
    CHECK(given(b.key, b.low) == b.low);
    CHECK(given(b.key, b.high) == b.high);
    CHECK(given(b.key, "99999999999999999999") == b.high);
  }
  CHECK(given("StressBwMbpsThreshold", "2.5") == "2.5");
}

TEST_CASE("the outer file schema compiles and fills in the server's defaults") {
  auto schema = json::Schema::compile(config::outer_file_schema());
  CHECK(schema.ok());
  const json::Checked checked = schema.value().check(tree("{}").root(), {.mode = json::Mode::config});
  CHECK(checked.ok());
  CHECK(checked.value.root().find("server")->find("log")->find("level")->string() == "info");
}

TEST_CASE("the plugins' WebPhone schemas are merged") {
  const json::Document rooms =
      tree(R"({"WebPhone":{"type":"object","properties":{"Office":{"type":"object","default":{},
    "properties":{"A":{"type":"integer","default":1}}}}}})");
  const json::Document gate = tree(R"({"WebPhone":{"properties":{"Secret":{"type":"string"},
    "Office":{"type":"object","properties":{"B":{"type":"integer","default":2}}}}},"tenant":{"properties":{"x":{"default":9}}}})");
  const auto file_schema = config::full_file_schema({{"rooms", &rooms.root()}, {"gate", &gate.root()}});
  CHECK(file_schema.ok());
  CHECK(canonical(file_schema.value(), R"({"tenants":{"a":{}}})") ==
        R"({"a":{"WebPhone":{"Office":{"A":1,"B":2},)" + kSfu + R"(},"rooms":{},"gate":{"x":9}}})");
  CHECK(canonical(file_schema.value(), R"({"tenants":{"a":{"WebPhone":{"Office":{"C":1}}}}})") ==
        "tenants.a.WebPhone.Office.C is not a known field; known are A, B");
}

TEST_CASE("plugins may share a WebPhone key only with the same schema") {
  const json::Document one = tree(R"({"WebPhone":{"properties":{"K":{"type":"integer"}}}})");
  const json::Document two = tree(R"({"WebPhone":{"properties":{"K":{"type":"string"}}}})");
  CHECK(config::full_file_schema({{"a", &one.root()}, {"b", &one.root()}}).ok());
  CHECK_FALSE(config::full_file_schema({{"a", &one.root()}, {"b", &two.root()}}).ok());
}

TEST_CASE("a missing tenant section requires no keys") {
  const json::Document trunk =
      tree(R"({"tenant":{"required":["trunks"],"properties":{"trunks":{"type":"array"}}}})");
  const auto file_schema = config::full_file_schema({{"sip-trunk", &trunk.root()}});
  CHECK(canonical(file_schema.value(), R"({"tenants":{"a":{}}})") == R"({"a":{"WebPhone":{)" + kSfu + "}}}");
  CHECK(canonical(file_schema.value(), R"({"tenants":{"a":{"sip-trunk":{}}}})") ==
        "tenants.a.sip-trunk.trunks is required");
}
