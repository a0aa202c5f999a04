// Where plugins are when the configuration does not say: `given`, else beside the program as it was built
// (../plugins), else where an installation has them. Absolute.
#pragma once

#include <string>

namespace patchbay::app {

std::string usual_plugin_dir(const std::string& given);

}  // namespace patchbay::app
