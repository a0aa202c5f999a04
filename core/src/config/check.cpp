#include <algorithm>

#include "config/schema_validator.h"
#include "json/suggestion.h"

namespace patchbay::core::config {

class ConfigChecker {
 public:
  ConfigChecker(const Draft& draft, const std::vector<PluginSchema>& installed)
      : draft_(draft), installed_(installed), validator_(draft.sources_) {}

  Outcome<Config> run() {
    validator_.add(draft_.problems_);
    auto file_schema = full_file_schema(named_plugins());
    if (!file_schema) {
      validator_.problem({}, "", file_schema.error().text);
      return {std::nullopt, validator_.problems()};
    }
    json::Document document = validator_.run(*file_schema, draft_.root_);
    Config config;
    if (!validator_.failed()) list_tenants(document.root(), config);
    if (validator_.failed()) return {std::nullopt, validator_.problems()};
    config.server_ = draft_.server_;
    config.plugins_ = draft_.plugins_;
    config.secrets_ = std::move(validator_.secrets());
    config.document_ = std::move(document);
    return {std::move(config), std::move(validator_.warnings())};
  }

 private:
  std::vector<PluginSchema> named_plugins() {
    std::vector<PluginSchema> named;
    for (const std::string& name : draft_.plugins_) {
      const auto found = std::find_if(installed_.begin(), installed_.end(),
                                      [&](const PluginSchema& schema) { return schema.name == name; });
      if (found == installed_.end()) missing(name);
      named.push_back(found == installed_.end() ? PluginSchema{name, nullptr} : *found);
    }
    return named;
  }

  void missing(const std::string& name) {
    std::vector<std::string_view> names;
    for (const PluginSchema& schema : installed_) names.push_back(schema.name);
    const std::string near = json::suggest(name, names);
    const Entry* plugins = draft_.root_.find("plugins");
    const Entry* entry = plugins ? plugins->value.find(name) : nullptr;
    validator_.problem(entry ? entry->mark : Mark{}, "plugins." + name,
                       "is not installed in " + draft_.server_.plugin_dir,
                       near.empty() ? "remove it, or set server.plugin_dir" : "did you mean " + near + "?");
  }

  void list_tenants(const json::Node& root, Config& config) {
    const json::Node* tenants = root.find("tenants");
    size_t primaries = 0;
    for (uint32_t i = 0; tenants && i < tenants->size(); ++i) {
      const json::Member& member = *tenants->member(i);
      const json::Node* name = member.value.find("name");
      const json::Node* primary = member.value.find("primary");
      const bool first = tenants->size() == 1 || (primary && primary->boolean());
      config.tenants_.push_back(
          {std::string(member.key), std::string(name ? name->string() : member.key), first});
      primaries += first ? 1 : 0;
      if (first && primaries == 2)
        validator_.problem(validator_.mark(primary->origin()),
                           "tenants." + std::string(member.key) + ".primary",
                           "must not be true for a second tenant", "set it for one tenant only");
    }
    if (tenants && tenants->size() > 0 && primaries == 0)
      validator_.problem(validator_.mark(tenants->origin()), "tenants", "need a primary one",
                         "write `primary: true` under one of them");
  }

  const Draft& draft_;
  const std::vector<PluginSchema>& installed_;
  SchemaValidator validator_;
};

Outcome<Config> check(const Draft& draft, const std::vector<PluginSchema>& installed) {
  return ConfigChecker(draft, installed).run();
}

}  // namespace patchbay::core::config
