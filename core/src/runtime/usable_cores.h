// How much processor time this process may use, in cores.
#pragma once

#include <filesystem>

namespace patchbay::core {

// The quota of the process's control group (Docker's --cpus, systemd's CPUQuota), or of a group above it if
// that is smaller; 0: none. Reads version 2 and version 1. `groups`: a file like /proc/self/cgroup;
// `mounted`: where control groups are mounted.
double quota_cores(const std::filesystem::path& groups = "/proc/self/cgroup",
                   const std::filesystem::path& mounted = "/sys/fs/cgroup");

// The processors that the process may run on (taskset), or its quota if that is smaller. Above 0.
double usable_cores();

}  // namespace patchbay::core
