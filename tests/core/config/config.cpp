#include "config/config.h"

#include <doctest/doctest.h>

#include "installed_plugins.h"

using namespace patchbay::core;
using namespace patchbay::core::config;

namespace {

constexpr const char* kFile =
    "server: {data: /var/pb}\n"
    "plugins: {rest-api: , sip-trunk: , whitelist: {rate: 5}, rooms: }\n"
    "tenants:\n"
    "  Acme.example:\n"
    "    primary: true\n"
    "    WebPhone: {AdminSharedSecret: 012345678901234567890123, Sfu: {StressWindowSec: 4}}\n"
    "    sip-trunk: {trunks: [{host: h, number: +4930, password: {env: TRUNK_PASSWORD}}]}\n"
    "  b.example: {name: Bee}\n";

Config make(const std::string& text, Environment environment = {}) {
  environment.emplace("TRUNK_PASSWORD", "pa55word");
  auto outcome = InstalledPlugins().config(text, std::move(environment));
  CHECK_MESSAGE(outcome.value.has_value(), sentences(outcome.problems));
  return outcome.value ? *std::move(outcome.value) : Config();
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  return text.replace(text.find(what), what.size(), with);
}

}  // namespace

TEST_CASE("a plugin sees the server, its own section and its part of every tenant") {
  const Config all = make(kFile);
  const std::string tunables =  // the other tunables, with the specification's defaults
      R"("AutoPromoteHumanCount":6,"AutoPromoteBwMinHumans":3,"MinStressedPeers":2,"BwDegradedSuppressSec":300,)"
      R"("StressBwMbpsThreshold":1.5,"StressLossPctThreshold":5,"StressRttMsThreshold":300)";
  CHECK(
      all.plugin_view("whitelist") ==
      R"({"server":{"data":"/var/pb","plugin_dir":"/plugins","admin_socket":"/var/pb/admin.sock",)"
      R"("management":{"listen":"127.0.0.1:9090"},"log":{"format":"text","level":"info"},"threads":0,"drain_timeout_s":30},)"
      R"("plugin":{"rate":5},"tenants":{"acme.example":{"primary":true,"name":"acme.example","section":{},)"
      R"("WebPhone":{"AdminSharedSecret":"012345678901234567890123","Sfu":{"StressWindowSec":5,)" +
          tunables +
          R"(}}},)"
          R"("b.example":{"primary":false,"name":"Bee","section":{},"WebPhone":{"Sfu":{"StressWindowSec":30,)" +
          tunables + "}}}}}");
  const auto view = json::parse(all.plugin_view("sip-trunk"));
  CHECK(view.ok());
  const json::Node* trunks =
      view.value().root().find("tenants")->find("acme.example")->find("section")->find("trunks");
  CHECK(json::parse(all.plugin_view("unknown")).ok());
  CHECK(trunks->element(0)->find("number")->string() == "+4930");
  CHECK(trunks->element(0)->find("password")->string() == "pa55word");
}

TEST_CASE("tenants and secrets are listed") {
  const Config all = make(kFile);
  CHECK(all.tenants().size() == 2);
  CHECK(all.tenants()[0].host == "acme.example");
  CHECK(all.tenants()[0].primary);
  CHECK(all.tenants()[1].name == "Bee");
  CHECK(all.secrets() == std::vector<std::string>{"012345678901234567890123", "pa55word"});
}

TEST_CASE("the environment overrides the file") {
  const Config all = make(kFile, {{"PATCHBAY_TENANT_B_EXAMPLE__WebPhone__Sfu__StressWindowSec", "60"},
                                  {"PATCHBAY_PLUGIN_REST_API__LISTEN", "0.0.0.0:80"}});
  CHECK(all.plugin_view("rooms").find(R"("StressWindowSec":60)") != std::string::npos);
  CHECK(all.plugin_view("rest-api").find(R"("plugin":{"listen":"0.0.0.0:80"})") != std::string::npos);
}

TEST_CASE("diff() lists what a reload changes") {
  const Config before = make(kFile);
  CHECK(diff(before, make(kFile)).empty());
  CHECK(diff(before, make(std::string("# a remark\n") + kFile)).empty());

  const Diff rate = diff(before, make(replaced(kFile, "rate: 5", "rate: 6")));
  CHECK(rate.changed == std::vector<std::string>{"whitelist"});
  CHECK_FALSE(rate.server);

  const Diff server = diff(before, make(replaced(kFile, "data: /var/pb", "data: /var/pb, threads: 3")));
  CHECK(server.server);
  CHECK(server.changed.empty());

  const Config fewer = make(replaced(kFile, "rest-api: ,", ""));
  CHECK(diff(before, fewer).removed == std::vector<std::string>{"rest-api"});
  CHECK(diff(fewer, before).added == std::vector<std::string>{"rest-api"});
}

TEST_CASE("the core reads a plugin's isolation, and the plugin does not see it") {
  const std::string apart =
      replaced(kFile, "rate: 5", "rate: 5, isolation: process, restarts: {most: 2}, paths: [/srv/models]");
  const Config all = make(apart);
  CHECK(all.isolation("whitelist") == Isolation{true, 2, 600, {"/srv/models"}});
  CHECK(all.isolation("rooms") == Isolation{false, 5, 600, {}});  // the defaults of the schema
  CHECK(all.plugin_view("whitelist") == make(kFile).plugin_view("whitelist"));
  CHECK(make(kFile, {{"PATCHBAY_PLUGIN_ROOMS__ISOLATION", "process"}}).isolation("rooms").process);

  // What its manifest says is only the default.
  InstalledPlugins installed;
  const auto whitelist = [&](const std::string& text) {
    auto schemas = installed.schemas();
    for (auto& each : schemas) each.isolated = each.name == "whitelist";
    auto draft = load_text({"/etc/pb.yaml", {{"TRUNK_PASSWORD", "pa55word"}}, "/plugins"}, text);
    const auto outcome = check(*draft.value, schemas);
    return outcome.value->isolation("whitelist").process;
  };
  CHECK(whitelist(kFile));
  CHECK_FALSE(whitelist(replaced(kFile, "rate: 5", "isolation: none")));

  const Diff moved = diff(make(kFile), all);
  CHECK(moved.isolated == std::vector<std::string>{"whitelist"});
  CHECK(moved.changed.empty());
  CHECK_FALSE(moved.empty());

  const auto wrong = InstalledPlugins().config(replaced(kFile, "rate: 5", "isolation: container"),
                                               {{"TRUNK_PASSWORD", "pa55word"}});
  REQUIRE(wrong.problems.size() == 1);
  CHECK(sentences(wrong.problems).find("plugins.whitelist.isolation") != std::string::npos);
}
