#include "config/layout.h"

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

std::string canonical(const std::string& layout, const std::string& value) {
  auto schema = json::Schema::compile(layout);
  CHECK_MESSAGE(schema.ok(), (schema.ok() ? "" : schema.error().text));
  const json::Document parsed = tree(value);
  const json::Checked checked = schema.value().check(parsed.root(), {.mode = json::Mode::config});
  return checked.ok() ? json::write(*checked.value.root().find("tenants")) : checked.error().text;
}

}  // namespace

TEST_CASE("the outer layout compiles and fills in the server") {
  auto schema = json::Schema::compile(config::outer_layout());
  CHECK(schema.ok());
  const json::Checked checked = schema.value().check(tree("{}").root(), {.mode = json::Mode::config});
  CHECK(checked.ok());
  CHECK(checked.value.root().find("server")->find("log")->find("level")->string() == "info");
}

TEST_CASE("what plugins declare under WebPhone is merged") {
  const json::Document rooms =
      tree(R"({"WebPhone":{"type":"object","properties":{"Sfu":{"type":"object","default":{},
    "properties":{"A":{"type":"integer","default":1}}}}}})");
  const json::Document gate = tree(R"({"WebPhone":{"properties":{"Secret":{"type":"string"},
    "Sfu":{"type":"object","properties":{"B":{"type":"integer","default":2}}}}},"tenant":{"properties":{"x":{"default":9}}}})");
  const auto layout = config::full_layout({{"rooms", &rooms.root()}, {"gate", &gate.root()}});
  CHECK(layout.ok());
  CHECK(canonical(layout.value(), R"({"tenants":{"a":{}}})") ==
        R"({"a":{"WebPhone":{"Sfu":{"A":1,"B":2}},"rooms":{},"gate":{"x":9}}})");
  CHECK(canonical(layout.value(), R"({"tenants":{"a":{"WebPhone":{"Sfu":{"C":1}}}}})") ==
        "tenants.a.WebPhone.Sfu.C is not a known field; known are A, B");
}

TEST_CASE("two meanings of one WebPhone key are refused, twice the same is fine") {
  const json::Document one = tree(R"({"WebPhone":{"properties":{"K":{"type":"integer"}}}})");
  const json::Document two = tree(R"({"WebPhone":{"properties":{"K":{"type":"string"}}}})");
  CHECK(config::full_layout({{"a", &one.root()}, {"b", &one.root()}}).ok());
  CHECK_FALSE(config::full_layout({{"a", &one.root()}, {"b", &two.root()}}).ok());
}

TEST_CASE("a tenant's section that is left out is asked for nothing") {
  const json::Document trunk =
      tree(R"({"tenant":{"required":["trunks"],"properties":{"trunks":{"type":"array"}}}})");
  const auto layout = config::full_layout({{"sip-trunk", &trunk.root()}});
  CHECK(canonical(layout.value(), R"({"tenants":{"a":{}}})") == R"({"a":{"WebPhone":{}}})");
  CHECK(canonical(layout.value(), R"({"tenants":{"a":{"sip-trunk":{}}}})") ==
        "tenants.a.sip-trunk.trunks is required");
}
