#include "outbound/load_limit.h"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>

#include "outbound/limits.h"

namespace patchbay::ai_voice {
namespace {

constexpr int64_t kMinWindowNs = kMinLoadWindowMs * 1'000'000;

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
  const double used_cores = double(usage.cpu_ns - last_.cpu_ns) / double(window_ns);
  if (last_.now_ns != 0 && idle_) other_cores_ = used_cores;
  if (last_.now_ns != 0 && !idle_) {
    load_ = used_cores / usage.cores;
    learn(used_cores, talking);
  }
  if (!idle_) admitted_ = 0;  // calls admitted with the first one may still be on their way
  idle_ = false;
  last_ = usage;
  talking_ = talking;
}

void LoadLimit::idle(const Usage& usage) {
  last_ = usage;
  load_ = 0;
  talking_ = admitted_ = 0;
  idle_ = true;
}

// Attributes to the calls what was used beyond other work. That is seen while no call talks or is set up.
void LoadLimit::learn(double used_cores, size_t talking) {
  if (talking == 0) {
    if (talking_ == 0 && admitted_ == 0) other_cores_ += kLoadSmoothing * (used_cores - other_cores_);
    return;
  }
  other_cores_ = std::min(other_cores_, used_cores);
  const auto calls = double(talking);
  // A sample of few calls says little about the cost of many.
  const double weight = learned_calls_ == 0 ? 1 : kLoadSmoothing * std::min(1.0, calls / learned_calls_);
  calls_cores_ += weight * (used_cores - other_cores_ - calls_cores_);
  learned_calls_ += weight * (calls - learned_calls_);
}

// As if kAssumedCalls more had been measured, so that other work is not taken for the cost of a single call.
double LoadLimit::cores_of_each() const {
  return (kAssumedCalls * kAssumedCoresOfCall + calls_cores_) / (kAssumedCalls + learned_calls_);
}

size_t LoadLimit::room(int64_t max_percent, size_t running) const {
  if (max_percent == 0) return std::numeric_limits<size_t>::max();
  const double limit = double(max_percent) / 100;
  if (load_ >= limit) return 0;
  const size_t silent = std::max(running - std::min(running, talking_), admitted_);
  const auto fit = static_cast<size_t>((limit - load_) * last_.cores / cores_of_each());
  // One at a time always fits, because other work than calls may cause the load.
  if (silent == 0) return std::max<size_t>(fit, 1);
  return fit - std::min(fit, silent);
}

bool LoadLimit::admit(int64_t max_percent, size_t running) {
  if (room(max_percent, running) == 0) return false;
  ++admitted_;
  return true;
}

}  // namespace patchbay::ai_voice
