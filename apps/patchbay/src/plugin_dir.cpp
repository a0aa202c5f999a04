#include "plugin_dir.h"

#include <filesystem>

namespace patchbay::app {

std::string default_plugin_dir(const std::string& given) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!given.empty()) return fs::absolute(given).string();
  const fs::path here = fs::read_symlink("/proc/self/exe", error).parent_path();
  const fs::path installed = (here / PATCHBAY_PLUGINS_FROM_PROGRAM).lexically_normal();
  const fs::path built = here.parent_path() / "plugins";
  return !fs::is_directory(installed, error) && fs::is_directory(built, error) ? built.string()
                                                                               : installed.string();
}

}  // namespace patchbay::app
