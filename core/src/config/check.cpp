#include <algorithm>

#include "config/file_validator.h"
#include "config/limits.h"
#include "json/suggestion.h"

namespace patchbay::core::config {

class ConfigChecker {
 public:
  ConfigChecker(const Draft& draft, const std::vector<PluginSchema>& installed)
      : draft_(draft), installed_(installed), validator_(draft.sources_) {}

  Outcome<Config> run() {
    const bool read = read_document();
    if (read && !validator_.failed()) list_tenants();
    if (validator_.failed()) return {std::nullopt, validator_.problems()};
    return {finish(), std::move(validator_.warnings())};
  }

  std::optional<Config> run_without_flawed() {
    if (!read_document()) return std::nullopt;
    const std::vector<Problem> problems = validator_.problems();
    if (problems.size() >= kMaxProblems) return std::nullopt;  // there may be more
    for (const Problem& problem : problems) {
      const auto flawed =
          std::find_if(draft_.plugins_.begin(), draft_.plugins_.end(),
                       [&](const std::string& plugin) { return is_about(problem.path, plugin); });
      if (flawed == draft_.plugins_.end()) return std::nullopt;
      std::erase(config_.plugins_, *flawed);
    }
    list_tenants();
    if (validator_.problems().size() > problems.size()) return std::nullopt;
    return finish();
  }

 private:
  // False: the schemas of the plugins do not fit together.
  bool read_document() {
    validator_.add(draft_.problems_);
    config_.server_ = draft_.server_;
    config_.plugins_ = draft_.plugins_;
    const auto file_schema = full_file_schema(named_plugins());
    if (!file_schema) {
      validator_.problem({}, "", file_schema.error().text);
      return false;
    }
    config_.document_ = validator_.run(*file_schema, draft_.root_);
    return true;
  }

  Config finish() {
    config_.secrets_ = std::move(validator_.secrets());
    return std::move(config_);
  }

  // Whether the path lies in a section of that plugin.
  bool is_about(const std::string& path, const std::string& plugin) const {
    const auto is_below = [&path](const std::string& section) {
      return path.starts_with(section) &&
             (path.size() == section.size() || path[section.size()] == '.' || path[section.size()] == '[');
    };
    if (is_below("plugins." + plugin)) return true;
    const Entry* tenants = draft_.root_.find("tenants");
    return tenants != nullptr &&
           std::any_of(tenants->value.entries.begin(), tenants->value.entries.end(),
                       [&](const Entry& tenant) { return is_below("tenants." + tenant.key + "." + plugin); });
  }

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

  void list_tenants() {
    const json::Node* tenants = config_.document_.root().find("tenants");
    size_t primaries = 0;
    for (uint32_t i = 0; tenants && i < tenants->size(); ++i) {
      const json::Member& member = *tenants->member(i);
      const json::Node* name = member.value.find("name");
      const json::Node* primary = member.value.find("primary");
      const bool first = tenants->size() == 1 || (primary && primary->boolean());
      config_.tenants_.push_back(
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
  Config config_;
};

Outcome<Config> check(const Draft& draft, const std::vector<PluginSchema>& installed) {
  return ConfigChecker(draft, installed).run();
}

std::optional<Config> check_without_flawed(const Draft& draft, const std::vector<PluginSchema>& installed) {
  return ConfigChecker(draft, installed).run_without_flawed();
}

}  // namespace patchbay::core::config
