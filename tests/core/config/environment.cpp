#include "config/environment.h"

#include <doctest/doctest.h>

#include "config/yaml.h"
#include "json/parse.h"
#include "json/writer.h"

using namespace patchbay::core;

namespace {

constexpr const char* kTwoTenants =
    "server: {data: x}\n"
    "plugins: {rest-api: }\n"
    "tenants:\n  acme.example: {sip-trunk: {trunks: [{host: a}, {host: b}]}}\n";
constexpr const char* kSchema =
    R"({"properties":{"plugins":{"properties":{"rest-api":{"properties":{"maxBody":{}}}}},
  "tenants":{"additionalProperties":{"properties":{"WebPhone":{"properties":{"Sfu":{"properties":{"StressWindowSec":{}}}}},
  "sip-trunk":{"properties":{"trunks":{"items":{"properties":{"userName":{}}}}}}}}}}})";

std::string apply(const config::Environment& environment, std::vector<config::Problem>& problems) {
  config::Problem problem;
  auto root = config::read_yaml(kTwoTenants, problem);
  CHECK(root.has_value());
  const auto schema = json::parse(kSchema);
  config::apply_environment(environment, schema.value().root(), *root, problems);
  config::SourceMap marks;
  return json::write(config::to_json(*root, marks).root());
}

}  // namespace

TEST_CASE("variables reach every section, and keys match any spelling") {
  std::vector<config::Problem> problems;
  const std::string json = apply({{"PATCHBAY_SERVER__LOG__LEVEL", "debug"},
                                  {"PATCHBAY_SERVER__DATA", "y"},
                                  {"PATCHBAY_PLUGIN_REST_API__MAXBODY", "7"},
                                  {"PATCHBAY_PLUGIN_REST_API__Other_Key", "z"},
                                  {"PATCHBAY_TENANT_ACME_EXAMPLE__WEBPHONE__SFU__STRESSWINDOWSEC", "20"},
                                  {"PATCHBAY_TENANT_ACME_EXAMPLE__SIP_TRUNK__TRUNKS__1__USERNAME", "u"},
                                  {"PATCHBAY_CONFIG", "unrelated"},
                                  {"HOME", "/root"}},
                                 problems);
  CHECK(problems.empty());
  CHECK(
      json ==
      R"({"server":{"data":"y","LOG":{"LEVEL":"debug"}},"plugins":{"rest-api":{"maxBody":7,"Other_Key":"z"}},)"
      R"("tenants":{"acme.example":{"sip-trunk":{"trunks":[{"host":"a"},{"host":"b","userName":"u"}]},)"
      R"("WebPhone":{"Sfu":{"StressWindowSec":20}}}}})");
}

TEST_CASE("variables that match no key are problems") {
  for (const char* name :
       {"PATCHBAY_PLUGIN_REST__LISTEN", "PATCHBAY_TENANT_OTHER__primary", "PATCHBAY_SERVER__DATA__X",
        "PATCHBAY_TENANT_ACME_EXAMPLE__sip_trunk__trunks__2__host", "PATCHBAY_PLUGIN_REST_API",
        "PATCHBAY_TENANT_ACME_EXAMPLE__sip_trunk__trunks", "PATCHBAY_SERVER__", "PATCHBAY_SERVER__A____B",
        "PATCHBAY_TENANT_ACME_EXAMPLE__sip_trunk__trunks__x"}) {
    CAPTURE(std::string(name));
    std::vector<config::Problem> problems;
    apply({{name, "1"}}, problems);
    CHECK(problems.size() == 1);
    if (!problems.empty()) CHECK(problems[0].sentence().find(name) != std::string::npos);
  }
}

TEST_CASE("names are written in capitals with underscores") {
  CHECK(config::variable_name("acme-2.example") == "ACME_2_EXAMPLE");
}
