// A plugin's configuration as the host passes it: checked by the schemas of its settings, defaults filled in.
#pragma once

#include <doctest/doctest.h>
#include <patchbay/config.h>

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "json/parse.h"
#include "json/schema.h"
#include "json/writer.h"
#include "support/json_without_host.h"

namespace patchbay::test {

// `view` as Config has it: {"server": {}, "plugin": {}, "tenants": {"<host>": {"primary": true, "section":
// {}, "WebPhone": {}}}}; each part may be left out. Fails the test when the schemas refuse it.
class PluginConfig {
 public:
  PluginConfig(const std::string& schema_file, std::string_view view) {
    std::ifstream in(schema_file);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    auto schemas = core::json::parse(text);
    auto given = core::json::parse(view);
    REQUIRE(schemas);
    REQUIRE(given);
    schemas_ = &schemas->root();
    out_.begin_object();
    if (const auto* server = given->root().find("server")) out_.member("server", *server);
    fill("plugin", "plugin", given->root());
    out_.key("tenants").begin_object();
    const auto* tenants = given->root().find("tenants");
    for (uint32_t i = 0; tenants != nullptr && i < tenants->size(); ++i) {
      const auto& tenant = *tenants->member(i);
      out_.key(tenant.key).begin_object();
      if (const auto* primary = tenant.value.find("primary")) out_.member("primary", *primary);
      fill("section", "tenant", tenant.value);
      fill("WebPhone", "WebPhone", tenant.value);
      out_.end_object();
    }
    out_.end_object().end_object();
    auto filled = json_without_host(out_.text());
    REQUIRE(filled);
    config_ = Config(*std::move(filled));
  }
  operator const Config&() const { return config_; }  // NOLINT(google-explicit-constructor)

 private:
  void fill(const char* name, const char* schema_name, const core::json::Node& of) {
    const auto* part = of.find(name);
    const auto* schema = schemas_->find(schema_name);
    const auto nothing = core::json::parse("{}");
    if (schema == nullptr) return;
    auto compiled = core::json::Schema::compile(*schema);
    REQUIRE(compiled);
    core::json::CheckOptions options;
    options.mode = core::json::Mode::config;
    const auto checked = compiled->check(part != nullptr ? *part : nothing->root(), options);
    INFO((checked.ok() ? std::string() : checked.error().text));
    REQUIRE(checked.ok());
    out_.member(name, checked.value.root());
  }

  const core::json::Node* schemas_ = nullptr;
  core::json::Writer out_;
  Config config_;
};

}  // namespace patchbay::test
