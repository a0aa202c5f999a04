// The order in which plugins start: providers of a service before the plugins that require it. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "plugins/manifest.h"

namespace patchbay::core {

struct StartOrder {
  std::vector<size_t> order;              // indexes; after optional providers where possible
  std::map<size_t, std::string> refused;  // why not, one sentence with the fix
};

// `available`: service id -> plugin of the plugin folder that would provide it, configured or not; the error
// suggests it.
StartOrder start_order(const std::vector<Manifest>& plugins,
                       const std::map<std::string, std::string>& available);

}  // namespace patchbay::core
