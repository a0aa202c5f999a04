// The schema of a whole configuration file, put together from what the plugins declare.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/document.h"
#include "patchbay/result.h"

namespace patchbay::core::config {

// What a manifest says under "config": {"plugin": schema, "tenant": schema, "WebPhone": schema}, each
// optional.
struct PluginSchema {
  std::string name;
  const json::Node* config = nullptr;  // borrowed; nullptr: nothing is known of it, it takes anything
};

// Before manifests are known: `server` in full, of plugins and tenants only that they are mappings.
std::string outer_file_schema();

// Keys of a plugin's section that the core owns and the plugin never sees: `isolation`, `restarts`, `paths`.
bool is_core_key(std::string_view key);

// With the schemas of the plugins the file names. What a manifest has no schema for takes nothing. What
// several plugins declare under WebPhone is merged, also with the tunables of the specification; two
// different schemas for one key there are an error.
Result<std::string> full_file_schema(const std::vector<PluginSchema>& plugins);

}  // namespace patchbay::core::config
