#include "plugin_dir.h"

#include <filesystem>

namespace patchbay::app {

std::string usual_plugin_dir(const std::string& given) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!given.empty()) return fs::absolute(given).string();
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path built = program.parent_path().parent_path() / "plugins";
  return !error && fs::is_directory(built, error) ? built.string() : PATCHBAY_PLUGIN_DIR;
}

}  // namespace patchbay::app
