// The core's side of a plugin in a child process: to the core it is a linked plugin, to the child it is the
// host.
#pragma once

#include <patchbay/abi/plugin.h>
#include <patchbay/result.h>

#include <string>

namespace patchbay::isolated {

// The entry of a plugin that runs `plugin_file` inside the program `child_host`; with the manifest of the
// file. Lives as long as the process.
Result<const pb_entry*> isolated_entry(const std::string& plugin_file, const std::string& child_host);

}  // namespace patchbay::isolated
