#include "runtime/usable_cores.h"

#include <sched.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

namespace patchbay::core {
namespace {

namespace fs = std::filesystem;

double smaller_quota(double one, double other) {
  return one > 0 && other > 0 ? std::min(one, other) : std::max(one, other);
}

double quota_of(double quota_us, double period_us) {
  return quota_us > 0 && period_us > 0 ? quota_us / period_us : 0;
}

// 0 for "max", for -1, and for a file that does not exist.
double read_quota(const fs::path& group, bool is_version_2) {
  double quota_us = 0, period_us = 0;
  if (is_version_2) {
    std::ifstream(group / "cpu.max") >> quota_us >> period_us;
  } else {
    std::ifstream(group / "cpu.cfs_quota_us") >> quota_us;
    std::ifstream(group / "cpu.cfs_period_us") >> period_us;
  }
  return quota_of(quota_us, period_us);
}

// The smallest quota of a group and those above it. In a container whose mount does not have the named group,
// the mount's root is the container's own group.
double smallest_quota(const fs::path& root, std::string_view group, bool is_version_2) {
  double quota = read_quota(root, is_version_2);
  fs::path folder = root;
  for (const fs::path& part : fs::path(group).relative_path()) {
    if (part == "..") break;
    folder /= part;
    quota = smaller_quota(quota, read_quota(folder, is_version_2));
  }
  return quota;
}

bool names_cpu(std::string_view controllers) {
  while (!controllers.empty()) {
    const size_t end = std::min(controllers.find(','), controllers.size());
    if (controllers.substr(0, end) == "cpu") return true;
    controllers.remove_prefix(std::min(end + 1, controllers.size()));
  }
  return false;
}

}  // namespace

// A line of the file is "number:controllers:group"; version 2 has no controllers.
double quota_cores(const fs::path& groups, const fs::path& mounted) {
  double quota = 0;
  std::ifstream file(groups);
  for (std::string line; std::getline(file, line);) {
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string_view group = std::string_view(line).substr(second + 1);
    if (controllers.empty()) quota = smaller_quota(quota, smallest_quota(mounted, group, true));
    if (!names_cpu(controllers)) continue;
    const fs::path named = mounted / controllers;
    std::error_code error;
    const fs::path root = fs::exists(named, error) ? named : mounted / "cpu";
    quota = smaller_quota(quota, smallest_quota(root, group, false));
  }
  return quota;
}

double usable_cores() {
  cpu_set_t allowed;
  const bool is_known = ::sched_getaffinity(0, sizeof allowed, &allowed) == 0;  // fails beyond 1024
  const double cores = is_known ? CPU_COUNT(&allowed) : std::thread::hardware_concurrency();
  return smaller_quota(std::max(cores, 1.0), quota_cores());
}

}  // namespace patchbay::core
