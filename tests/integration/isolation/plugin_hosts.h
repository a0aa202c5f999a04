// The processes of isolated plugins.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace isolation_test {

// Kills the processes of this process's isolated plugins.
inline int kill_plugin_hosts() {
  int killed = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream children(task.path() / "children");
    for (pid_t child; children >> child;) {
      std::string name;
      std::getline(std::ifstream("/proc/" + std::to_string(child) + "/comm"), name);
      if (name.rfind("patchbay-plugin", 0) == 0 && ::kill(child, SIGKILL) == 0) ++killed;
    }
  }
  return killed;
}

// The file of an example, from the list that the build gives.
inline std::string example_file(const std::string& id) {
  std::istringstream all(ISOLATION_EXAMPLES);
  for (std::string file; std::getline(all, file, ':');)
    if (std::filesystem::path(file).stem() == id) return file;
  return {};
}

}  // namespace isolation_test
