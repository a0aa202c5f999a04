// Confines this process: drops rights that no plugin needs, for good and for every process that it starts.
// Call before the second thread is started and before the plugin's code runs.
#pragma once

#include <string>
#include <vector>

#include "patchbay/result.h"

namespace patchbay::core::isolation {

struct Needs {
  std::string plugin_file;
  std::string data_folder;         // the plugin's own
  std::vector<std::string> paths;  // that its configuration names
};

// No new privileges, and no capabilities but those for ports below 1024 and for the priority of media loops.
Status give_up_privileges();

// Landlock: of all files this process keeps the plugin, libraries, what the system has for resolving names
// and checking certificates, the plugin's own folder and its configured paths. Also, as far as the kernel is
// new enough, signals to other processes. Does nothing where the kernel has no Landlock.
Status confine_files(const Needs& needs);

// seccomp: system calls by which one reaches other processes, the kernel or the machine fail with EPERM, as
// do sockets that are not IP (a path of AF_UNIX is not covered by Landlock) and signals to other processes.
Status confine_calls();

}  // namespace patchbay::core::isolation
