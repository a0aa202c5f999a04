// Confines this process: drops rights that no plugin needs, for good and for every process that it starts.
// Call before the second thread is started and before the plugin's code runs.
#pragma once

#include <string>
#include <vector>

#include "patchbay/result.h"

namespace patchbay::core::isolation {

// The files that the plugin may access.
struct AllowedPaths {
  std::string plugin_file;
  std::string data_folder;         // the plugin's own
  std::vector<std::string> paths;  // that its configuration names
};

// Sets no-new-privileges, and drops all capabilities but those for ports below 1024 and for the priority of
// media loops.
Status drop_privileges();

// Landlock: leaves this process only these files: the plugin, libraries, what the system has for resolving
// names and checking certificates, the plugin's data folder and its configured paths. Where the kernel is new
// enough, forbids signals to other processes, too. Does nothing where the kernel has no Landlock.
Status confine_files(const AllowedPaths& allowed);

// seccomp: fails system calls that reach other processes, the kernel or the machine with EPERM, and also
// sockets that are not IP (Landlock does not cover the path of an AF_UNIX socket) and signals to other
// processes.
Status confine_system_calls();

}  // namespace patchbay::core::isolation
