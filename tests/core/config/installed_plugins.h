// Schemas of installed plugins, for the tests of the configuration.
#pragma once

#include <string>
#include <vector>

#include "config/config.h"
#include "json/parse.h"

struct InstalledPlugins {
  InstalledPlugins()
      : rest(parse(R"({"plugin":{"properties":{"listen":{"type":"string","default":"127.0.0.1:8080"}}}})")),
        trunk(parse(R"({"tenant":{"properties":{"trunks":{"type":"array","items":{"type":"object",
          "required":["host"],"properties":{"host":{"type":"string"},"number":{"type":"string"},
          "password":{"type":"string","x-secret":true}}}}}}})")),
        whitelist(parse(
            R"({"plugin":{"properties":{"rate":{"type":"integer","minimum":1,"maximum":100,"default":10}}},
          "WebPhone":{"properties":{"AdminSharedSecret":{"type":"string","minLength":24,"x-secret":true}}}})")),
        rooms(parse(R"({"WebPhone":{"properties":{"Sfu":{"type":"object","default":{},"properties":{
          "StressWindowSec":{"type":"integer","minimum":5,"maximum":600,"default":30,"x-snap":true}}}}}})")) {
  }

  std::vector<patchbay::core::config::PluginSchema> schemas() const {
    return {{"rest-api", &rest.root()},
            {"sip-trunk", &trunk.root()},
            {"whitelist", &whitelist.root()},
            {"rooms", &rooms.root()}};
  }

  patchbay::core::config::Outcome<patchbay::core::config::Config> config(
      const std::string& text, patchbay::core::config::Environment environment = {}) const {
    auto draft =
        patchbay::core::config::load_text({"/etc/pb.yaml", std::move(environment), "/plugins"}, text);
    if (!draft.value) return {std::nullopt, std::move(draft.problems)};
    return check(*draft.value, schemas());
  }

 private:
  static patchbay::core::json::Document parse(const char* text) {
    return std::move(patchbay::core::json::parse(text)).value();
  }
  patchbay::core::json::Document rest, trunk, whitelist, rooms;
};
