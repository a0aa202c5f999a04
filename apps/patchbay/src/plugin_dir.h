// The default plugin folder: `given` if set, else the folder of this installation, else ../plugins of a build
// tree. An absolute path.
#pragma once

#include <string>

namespace patchbay::app {

std::string default_plugin_dir(const std::string& given);

}  // namespace patchbay::app
