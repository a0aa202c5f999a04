// Watchdog: reports a task that holds its strand for too long, once per task. It compares progress counters
// between samples, so that running a task costs no clock read; a report may be late by one sample (an eighth
// of the limit).
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
  int64_t ms;  // how long the same task has been seen
};

// Called on the watchdog's thread, with no lock held.
using StallFn = void (*)(void* user, const StallReport& report);

// A task that hangs: it began at `progress`, in the turn of `strand` that `slot` runs.
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

  // Calls fn(user, now_ns) at each sample. Set before start().
  using SampleFn = void (*)(void* user, int64_t now_ns);
  void set_sampler(SampleFn fn, void* user) noexcept {
    sampler_ = fn;
    sampler_user_ = user;
  }

  // Starts a thread that samples every limit/8 until the destructor.
  void start();

  // Takes one sample at this monotonic time. Tests call it instead of start().
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
