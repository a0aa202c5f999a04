// The files and folders that a plugin's configuration names, where its manifest has x-path.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plugins/manifest.h"

namespace patchbay::core {

// `config` is what the plugin gets. Returns the paths sorted, without duplicates.
std::vector<std::string> configured_paths(const Manifest& manifest, std::string_view config);

}  // namespace patchbay::core
