// One folder with all plugins of the build, of the examples and of the benches, from which `patchbay serve`
// loads them.
#pragma once

#include <filesystem>
#include <string>

namespace patchbay::bench {

inline void link_plugins(const std::string& folder) {
  std::filesystem::create_directory(folder);
  for (const char* from :
       {BENCH_BUILD_FOLDER "/plugins", BENCH_BUILD_FOLDER "/examples", BENCH_BUILD_FOLDER "/bench"}) {
    std::error_code missing;
    for (const auto& entry : std::filesystem::directory_iterator(from, missing))
      if (entry.path().extension() == ".so")
        std::filesystem::create_symlink(entry.path(), folder + "/" + entry.path().filename().string());
  }
}

}  // namespace patchbay::bench
