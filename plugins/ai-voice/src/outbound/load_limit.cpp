#include "outbound/load_limit.h"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <sstream>
#include <string>

namespace patchbay::ai_voice {
namespace {

constexpr int64_t kMinWindowNs = 500'000'000;  // over shorter times the load is noise

// The quota of the process's own control group (Docker's --cpus, systemd's CPUQuota); 0: none, or not
// readable.
double own_quota_cores() {
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    if (line.rfind("0::", 0) != 0) continue;
    std::ifstream file("/sys/fs/cgroup" + line.substr(3) + "/cpu.max");
    std::string cpu_max;
    std::getline(file, cpu_max);
    return LoadLimit::quota_cores(cpu_max);
  }
  return 0;
}

}  // namespace

double LoadLimit::quota_cores(std::string_view cpu_max) {
  std::istringstream in{std::string(cpu_max)};
  double quota_us = 0, period_us = 0;  // "max" instead of the quota fails
  return in >> quota_us >> period_us && quota_us > 0 && period_us > 0 ? quota_us / period_us : 0;
}

// Uses real time also when a test drives the host's clock, because the processor time is real.
LoadLimit::Usage LoadLimit::usage_now() {
  Usage usage;
  usage.now_ns = std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
  timespec cpu{};
  if (::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu) == 0)
    usage.cpu_ns = int64_t{cpu.tv_sec} * 1'000'000'000 + cpu.tv_nsec;
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0) usage.cores = std::max(1, CPU_COUNT(&allowed));
  if (const double quota = own_quota_cores(); quota > 0) usage.cores = std::min(usage.cores, quota);
  return usage;
}

void LoadLimit::sample(const Usage& usage, size_t talking) {
  const int64_t window_ns = usage.now_ns - last_.now_ns;
  if (last_.now_ns != 0 && window_ns < kMinWindowNs) return;
  if (last_.now_ns != 0) load_ = double(usage.cpu_ns - last_.cpu_ns) / (double(window_ns) * usage.cores);
  last_ = usage;
  talking_ = talking;
  admitted_ = 0;
}

bool LoadLimit::admit(int64_t max_percent, size_t running) {
  if (max_percent == 0) return true;
  const double limit = double(max_percent) / 100;
  const size_t silent = std::max(running - std::min(running, talking_), admitted_);
  const double of_each = talking_ > 0 ? load_ / double(talking_) : 0;
  if (load_ >= limit) return false;
  // One at a time always fits, because other work than calls may cause the load.
  if (silent > 0 && load_ + of_each * double(silent + 1) > limit) return false;
  ++admitted_;
  return true;
}

}  // namespace patchbay::ai_voice
