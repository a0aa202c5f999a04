#include "outbound/load_limit.h"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <ctime>

namespace patchbay::ai_voice {
namespace {

constexpr int64_t kMinWindowNs = 500'000'000;  // over shorter times the load is noise

}  // namespace

// Uses real time also when a test drives the host's clock, because the processor time is real.
LoadLimit::Usage LoadLimit::usage_now() {
  Usage usage;
  usage.now_ns = std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
  timespec cpu{};
  if (::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu) == 0)
    usage.cpu_ns = int64_t{cpu.tv_sec} * 1'000'000'000 + cpu.tv_nsec;
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0) usage.cores = std::max(1, CPU_COUNT(&allowed));
  return usage;
}

void LoadLimit::sample(const Usage& usage, size_t talking) {
  const int64_t window_ns = usage.now_ns - last_.now_ns;
  if (last_.now_ns != 0 && window_ns < kMinWindowNs) return;
  if (last_.now_ns != 0)
    load_ = double(usage.cpu_ns - last_.cpu_ns) / (double(window_ns) * std::max(1, usage.cores));
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
