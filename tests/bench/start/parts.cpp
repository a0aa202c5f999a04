#include "bench/start/parts.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "bench/pairs.h"
#include "bench/start/servers.h"

namespace patchbay::bench {
namespace {

constexpr size_t kFilesShown = 20;

struct Memory {
  double pss_kib = 0;
  double private_dirty_kib = 0;
};

// A mapping's line in smaps: "address-address rights offset device inode   path".
std::string kind_of(const std::string& mapping) {
  std::istringstream words(mapping);
  std::string range, rights, skipped, path;
  words >> range >> rights >> skipped >> skipped >> skipped >> path;
  if (!path.empty()) return std::filesystem::path(path).filename().string();
  const size_t dash = range.find('-');
  const auto bytes = std::stoull(range.substr(dash + 1), nullptr, 16) - std::stoull(range, nullptr, 16);
  return bytes == (8u << 20) ? "(stacks of threads)" : "(other memory of no file)";
}

std::map<std::string, Memory> memory_by_file(pid_t pid) {
  std::map<std::string, Memory> all;
  std::string kind;
  std::ifstream file("/proc/" + std::to_string(pid) + "/smaps");
  for (std::string line; std::getline(file, line);) {
    const std::string name = line.substr(0, line.find(' '));
    if (name.empty() || name.back() != ':') {
      kind = kind_of(line);
    } else if (name == "Pss:") {
      all[kind].pss_kib += std::stod(line.substr(name.size()));
    } else if (name == "Private_Dirty:") {
      all[kind].private_dirty_kib += std::stod(line.substr(name.size()));
    }
  }
  return all;
}

void print_memory(pid_t pid) {
  const auto all = memory_by_file(pid);
  std::vector<std::pair<std::string, Memory>> sorted(all.begin(), all.end());
  std::sort(sorted.begin(), sorted.end(),
            [](const auto& a, const auto& b) { return a.second.pss_kib > b.second.pss_kib; });
  std::printf("memory by file (KiB)\n  %-30s %8s %14s\n", "file", "PSS", "private dirty");
  Memory rest, sum;
  for (size_t i = 0; i < sorted.size(); ++i) {
    const auto& [name, memory] = sorted[i];
    sum.pss_kib += memory.pss_kib;
    sum.private_dirty_kib += memory.private_dirty_kib;
    if (i < kFilesShown) {
      std::printf("  %-30s %8.0f %14.0f\n", name.c_str(), memory.pss_kib, memory.private_dirty_kib);
    } else {
      rest.pss_kib += memory.pss_kib;
      rest.private_dirty_kib += memory.private_dirty_kib;
    }
  }
  std::printf("  %-30s %8.0f %14.0f\n", "others", rest.pss_kib, rest.private_dirty_kib);
  std::printf("  %-30s %8.0f %14.0f\n", "sum", sum.pss_kib, sum.private_dirty_kib);
}

void print_threads(pid_t pid) {
  std::map<std::string, std::pair<int, double>> threads;  // by name: how many, their processor time in ms
  for (const auto& entry : std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task")) {
    std::string name;
    double ns = 0;
    std::ifstream comm(entry.path() / "comm");
    std::getline(comm, name);
    std::ifstream(entry.path() / "schedstat") >> ns;
    auto& [count, ms] = threads[name];
    ++count;
    ms += ns / 1e6;
  }
  std::printf("threads\n  %-30s %8s %14s\n", "name", "count", "processor ms");
  for (const auto& [name, thread] : threads)
    std::printf("  %-30s %8d %14.1f\n", name.c_str(), thread.first, thread.second);
}

Result<Started> start_with(const std::vector<std::string>& plugins,
                           const std::function<void(pid_t)>& look = {}) {
  const test::TempFolder folder;
  PB_TRY_VALUE(const Server server, patchbay_server(folder.path(), plugins));
  return start_once(server, folder.path(), look);
}

}  // namespace

Status print_parts(int rounds) {
  const auto plugins = all_plugins();
  std::vector<std::vector<double>> ms(plugins.size()), kib(plugins.size());
  for (int round = 0; round <= rounds; ++round) {
    for (size_t i = 0; i < plugins.size(); ++i) {
      PB_TRY_VALUE(const Started started, start_with({plugins.begin(), plugins.begin() + ptrdiff_t(i) + 1}));
      if (round == 0) continue;  // reads the files
      ms[i].push_back(started.ready_ms);
      kib[i].push_back(started.idle_kib);
    }
  }
  std::printf("plugins, one after the other (medians of %d)\n  %-30s %8s %8s %10s %8s\n", rounds,
              "server with", "ready ms", "added", "PSS KiB", "added");
  double last_ms = 0, last_kib = 0;
  for (size_t i = 0; i < plugins.size(); ++i) {
    const double now_ms = spread_of(ms[i]).median, now_kib = spread_of(kib[i]).median;
    std::printf("  %-30s %8.1f %8.1f %10.0f %8.0f\n", ((i == 0 ? "core, " : "+ ") + plugins[i]).c_str(),
                now_ms, now_ms - last_ms, now_kib, now_kib - last_kib);
    last_ms = now_ms;
    last_kib = now_kib;
  }
  return start_with(
             plugins,
             [](pid_t pid) {
               print_memory(pid);
               print_threads(pid);
             }).ok()
             ? Status()
             : Status(Code::unavailable, "the whole server did not start");
}

}  // namespace patchbay::bench
