#include "runtime/thread_waits.h"

#include <fcntl.h>
#include <patchbay/descriptor.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <system_error>
#include <utility>

namespace patchbay::core {
namespace {

// The file has the time on a processor, the time waited for one, both in ns, and the number of runs. False:
// the thread has ended.
bool read_schedstat(const std::string& file, ThreadWaits::Totals& totals) {
  const Descriptor fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  char text[128];
  const ssize_t size = fd ? ::read(fd.get(), text, sizeof text - 1) : 0;
  if (size <= 0) return false;
  text[size] = 0;
  char* at = text;
  std::strtoll(at, &at, 10);
  totals.wait_ns = std::strtoll(at, &at, 10);
  totals.runs = std::strtoll(at, &at, 10);
  return true;
}

}  // namespace

ThreadWaits::Totals ThreadWaits::read() {
  const std::lock_guard lock(mutex_);
  std::map<pid_t, Totals> now;
  std::error_code error;
  std::filesystem::directory_iterator entry(tasks_, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const std::string folder = entry->path().string();
    const auto thread = static_cast<pid_t>(std::atol(folder.c_str() + folder.rfind('/') + 1));
    Totals totals;
    if (read_schedstat(folder + "/schedstat", totals)) now[thread] = totals;
  }
  for (const auto& [thread, totals] : now) {
    if (is_first_) break;
    Totals before = last_[thread];
    // Another thread with the same number.
    if (totals.runs < before.runs || totals.wait_ns < before.wait_ns) before = {};
    sum_.wait_ns += totals.wait_ns - before.wait_ns;
    sum_.runs += totals.runs - before.runs;
  }
  is_first_ = false;
  last_ = std::move(now);
  return sum_;
}

}  // namespace patchbay::core
