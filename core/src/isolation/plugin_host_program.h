// Where the program is that runs an isolated plugin.
#pragma once

#include <patchbay/result.h>

#include <string>

namespace patchbay::core::isolation {

// `configured` when that is not empty; else patchbay-plugin-host beside this program, or in
// ../libexec/patchbay of its folder. Error: there is none, with the cure.
Result<std::string> find_plugin_host(const std::string& configured);

}  // namespace patchbay::core::isolation
