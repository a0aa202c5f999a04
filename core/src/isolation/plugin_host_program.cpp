#include "isolation/plugin_host_program.h"

#include <unistd.h>

#include <filesystem>
#include <system_error>

namespace patchbay::core::isolation {
namespace {

constexpr char kName[] = "patchbay-plugin-host";

}  // namespace

Result<std::string> find_plugin_host(const std::string& configured) {
  if (!configured.empty()) {
    if (::access(configured.c_str(), X_OK) == 0) return configured;
    return {Code::not_found, "the program for isolated plugins, " + configured + ", cannot be run"};
  }
  std::error_code ignored;
  const auto here = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  for (const auto& place : {here / kName, here.parent_path() / "libexec" / "patchbay" / kName}) {
    if (::access(place.c_str(), X_OK) == 0) return place.string();
  }
  return {Code::not_found, std::string("isolated plugins need ") + kName + " in " + here.string() +
                               " or ../libexec/patchbay; install it, or name it in CoreOptions.plugin_host"};
}

}  // namespace patchbay::core::isolation
