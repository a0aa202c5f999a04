// The name of this node among the processes that share a database.
#pragma once

#include <patchbay/result.h>

#include <filesystem>
#include <string>

namespace patchbay::core {

// Returns the name in the file, which is created with a random one when it is missing. The file is in the
// server's data folder, of which only one process has the lock, so that no two have the same name.
Result<std::string> node_name(const std::filesystem::path& file);

}  // namespace patchbay::core
