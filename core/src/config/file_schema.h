// The schema of a whole configuration file, composed of the plugins' schemas.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/document.h"
#include "patchbay/result.h"

namespace patchbay::core::config {

// A manifest's "config": {"plugin": schema, "tenant": schema, "WebPhone": schema}, each optional.
struct PluginSchema {
  std::string name;
  const json::Node* config = nullptr;  // borrowed; nullptr: unknown, accepts anything
  bool isolated = false;               // the default of `isolation` is `process`
};

// The schema before the manifests are read: `server` in full; `plugins` and `tenants` accept any mappings.
std::string outer_file_schema();

// True for the keys of a plugin's section that only the core reads: `isolation`, `restarts`, `paths`.
bool is_core_key(std::string_view key);

// The schema with those of the file's plugins. A section for which a manifest has no schema accepts no keys.
// The WebPhone schemas of all plugins are merged, and with kReservedWebPhoneKeys; fails when two of them
// differ for one key.
Result<std::string> full_file_schema(const std::vector<PluginSchema>& plugins);

}  // namespace patchbay::core::config
