#include "runtime/process_times.h"

#include <ctime>

namespace patchbay::core {
namespace {

// Leaves `used_ns` as it is when the clock cannot be read.
void read_clock(clockid_t clock, int64_t& used_ns) {
  timespec time{};
  if (::clock_gettime(clock, &time) == 0) used_ns = int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

void read_process(pid_t pid, int64_t& used_ns) {
  clockid_t clock{};
  if (::clock_getcpuclockid(pid, &clock) == 0) read_clock(clock, used_ns);
}

}  // namespace

void ProcessTimes::started(pid_t pid) {
  const std::lock_guard lock(mutex_);
  running_[pid] = 0;
}

void ProcessTimes::ended(pid_t pid) {
  const std::lock_guard lock(mutex_);
  const auto at = running_.find(pid);
  if (at == running_.end()) return;
  read_process(pid, at->second);
  ended_ns_ += at->second;
  running_.erase(at);
}

int64_t ProcessTimes::used_ns() {
  int64_t own_ns = 0;
  read_clock(CLOCK_PROCESS_CPUTIME_ID, own_ns);
  const std::lock_guard lock(mutex_);
  int64_t children_ns = ended_ns_;
  for (auto& [pid, used_ns] : running_) {
    read_process(pid, used_ns);
    children_ns += used_ns;
  }
  return own_ns + children_ns;
}

}  // namespace patchbay::core
