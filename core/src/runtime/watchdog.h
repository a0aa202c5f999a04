// Watchdog: notices a task that holds a strand for too long, and says so once. It compares progress counters
// between samples, so that running a task costs no clock reading; a report is up to one sample (an eighth of
// the limit) late.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#include "runtime/executor_slot.h"

namespace patchbay::core {

struct StallReport {
  std::string_view owner;
  std::string_view strand;
  int64_t ms;  // for how long it has been seen in the same task
};

// Called on the watchdog's thread, with no lock held.
using StallFn = void (*)(void* user, const StallReport& report);

// A task of `strand`, in the turn that `slot` runs, which began at `progress`.
struct Stall {
  ExecutorSlot& slot;
  Strand& strand;
  uint64_t progress;
  int64_t ms;
};

class Watchdog {
 public:
  using ReportFn = void (*)(void* user, const Stall& stall);

  // `slots` must outlive it. limit_ms > 0.
  Watchdog(const std::vector<std::unique_ptr<ExecutorSlot>>& slots, int64_t limit_ms, ReportFn report,
           void* user);
  ~Watchdog();

  // Calls fn(user, now_ns) with each sample. Before start().
  using SampleFn = void (*)(void* user, int64_t now_ns);
  void set_sampler(SampleFn fn, void* user) noexcept {
    sampler_ = fn;
    sampler_user_ = user;
  }

  // Samples every limit/8 on a thread of its own, until the destructor.
  void start();

  // One sample at this reading of the monotonic clock. For tests, instead of start().
  void check(int64_t now_ns);

 private:
  struct Seen {
    uint64_t progress = 0;
    int64_t since_ns = 0;
    bool reported = false;
  };

  void watch();

  // borrowed
  const std::vector<std::unique_ptr<ExecutorSlot>>& slots_;
  SampleFn sampler_ = nullptr;
  void* sampler_user_ = nullptr;
  ReportFn report_;
  void* user_;
  // state
  const int64_t limit_ms_;
  std::vector<Seen> seen_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace patchbay::core
