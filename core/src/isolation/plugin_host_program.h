// Finds the program that runs an isolated plugin.
#pragma once

#include <patchbay/result.h>

#include <string>

namespace patchbay::core::isolation {

// Returns `configured` if it is not empty; otherwise patchbay-plugin-host in this program's folder, or in
// ../libexec/patchbay beside that. Error: there is none, with the fix.
Result<std::string> find_plugin_host(const std::string& configured);

}  // namespace patchbay::core::isolation
