#include "plugins/configured_paths.h"

#include <algorithm>

#include "json/parse.h"
#include "json/schema.h"

namespace patchbay::core {
namespace {

// Adds the paths in a section, by its schema; ignores what does not fit the schema.
void add_paths(const json::Node* schema, const json::Node* section, std::vector<std::string>& paths) {
  if (schema == nullptr || section == nullptr) return;
  const auto compiled = json::Schema::compile(*schema);
  if (!compiled) return;
  json::CheckOptions options;
  options.mode = json::Mode::config;
  options.file_path = [&](std::string_view path) {
    paths.emplace_back(path);
    return std::string(path);
  };
  static_cast<void>(compiled->check(*section, options));
}

}  // namespace

std::vector<std::string> configured_paths(const Manifest& manifest, std::string_view config) {
  std::vector<std::string> paths;
  const auto parsed = json::parse(config);
  if (!parsed || manifest.config == nullptr) return paths;
  const json::Node& root = parsed->root();
  add_paths(manifest.config->find("plugin"), root.find("plugin"), paths);
  const json::Node* tenants = root.find("tenants");
  for (uint32_t i = 0; tenants != nullptr && i < tenants->size(); ++i)
    add_paths(manifest.config->find("tenant"), tenants->member(i)->value.find("section"), paths);
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  return paths;
}

}  // namespace patchbay::core
