// ThreadWaits: how long the threads of this process wait for a processor.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <utility>

namespace patchbay::core {

// [any, not media]
class ThreadWaits {
 public:
  // Totals, which never fall.
  struct Totals {
    int64_t wait_ns = 0;  // ready to run, while other threads had the processors
    int64_t runs = 0;     // how often a thread got a processor
  };

  // `tasks`: a folder like /proc/self/task.
  explicit ThreadWaits(std::filesystem::path tasks = "/proc/self/task") : tasks_(std::move(tasks)) {}

  // Of all threads, from the first call on. What a thread waits between the last call and its end is lost.
  // Zero on a kernel without /proc/PID/task/TID/schedstat.
  Totals read();

 private:
  const std::filesystem::path tasks_;
  std::mutex mutex_;
  std::map<pid_t, Totals> last_;
  Totals sum_;
  bool is_first_ = true;
};

}  // namespace patchbay::core
