// Where plugins are when the configuration does not say: `given`, else where an installation of this program
// has them, else beside the program as it was built (../plugins). Absolute.
#pragma once

#include <string>

namespace patchbay::app {

std::string usual_plugin_dir(const std::string& given);

}  // namespace patchbay::app
