// Runtime: executor, timers, workers and media loops of one process, started and stopped in the right order.
#pragma once

#include <chrono>
#include <memory>

#include "patchbay/result.h"
#include "runtime/clock.h"
#include "runtime/executor.h"
#include "runtime/manual_clock.h"
#include "runtime/media_pool.h"
#include "runtime/timer_queue.h"
#include "runtime/timer_thread.h"
#include "runtime/worker_pool.h"

namespace patchbay::core {

struct RuntimeOptions {
  ExecutorOptions executor;
  WorkerOptions workers;
  MediaOptions media;
  ManualClock* manual = nullptr;  // drives clocks and timers instead of real time; media loops stay real-time
};

class Runtime {
 public:
  static Result<std::unique_ptr<Runtime>> create(const RuntimeOptions& options = {});
  // Stops the sources of work, then runs all queued tasks. No strand may be used afterwards.
  ~Runtime();

  // Stops timers, media loops and the watchdog, for a runtime that is leaked because a task hangs.
  void stop_sources();

  Executor& executor() noexcept { return executor_; }
  WorkerPool& workers() noexcept { return workers_; }
  TimerQueue& timers() noexcept { return timers_; }
  MediaPool& media() noexcept { return media_; }
  const WallClock& wall_clock() const noexcept { return wall_; }
  const MonoClock& mono_clock() const noexcept { return mono_; }

  // For tests: waits until strands and workers are idle at the same time. Ignores armed timers and media
  // loops.
  bool wait_idle(std::chrono::milliseconds timeout);

 private:
  explicit Runtime(const RuntimeOptions& options);

  // borrowed
  ManualClock* const manual_;
  const WallClock& wall_;
  const MonoClock& mono_;
  // owned; the executor is destroyed first, because its last tasks may still call the others, which are
  // stopped by then
  TimerQueue timers_;
  std::unique_ptr<TimerThread> timer_thread_;
  WorkerPool workers_;
  MediaPool media_;
  Executor executor_;
};

}  // namespace patchbay::core
