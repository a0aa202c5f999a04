// ProcessTimes: the processor time of the server, with the processes of its isolated plugins.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <mutex>

namespace patchbay::core {

// [any, not media]
class ProcessTimes {
 public:
  // Counts a child of this process from now on.
  void started(pid_t pid);
  // Call it after the child has ended, and before waitpid() frees its number. Keeps what it has used.
  void ended(pid_t pid);
  // The time that this process and those children have used since their starts. Never falls. Programs that a
  // child starts are not counted.
  int64_t used_ns();

 private:
  std::mutex mutex_;
  std::map<pid_t, int64_t> running_;  // the last reading of each
  int64_t ended_ns_ = 0;
};

}  // namespace patchbay::core
