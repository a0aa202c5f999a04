// MediaPool: the media loops of the process, each driven by its own thread, which sleeps until a tick or a
// timer is due, a descriptor is ready, or a command comes. For tests, one loop whose thread waits for pump().
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <vector>

#include "runtime/limits.h"
#include "runtime/media_loop.h"
#include "runtime/watchdog.h"

namespace patchbay::core {

struct MediaOptions {
  unsigned loops = 0;  // 0: one per core
  // Try SCHED_FIFO, then a better nice value; continue without if neither is permitted.
  bool realtime = true;
  int64_t stall_ms = kMediaStallMs;  // a tick that runs longer is reported once
  StallFn on_stall = nullptr;        // called on the watchdog's thread
  void* stall_user = nullptr;
  // For tests: one loop, by this clock, which ticks in pump() only. Null: real time.
  const MonoClock* manual_clock = nullptr;
};

class MediaPool {
 public:
  explicit MediaPool(const MediaOptions& options = {});
  ~MediaPool();

  // Stops the threads and completes pending detaches. Call once. Afterwards nothing ticks, except on a loop
  // whose tick has not returned within `timeout`: that loop and its thread are leaked, because the thread
  // still uses them.
  void stop(std::chrono::milliseconds timeout = std::chrono::milliseconds(kMediaStopTimeoutMs));

  // [watchdog] Reports ticks that hang.
  void check(int64_t now_ns);
  // [any] Ticks reported so far, and loops that are in such a tick now.
  uint64_t stalls() const noexcept { return stalls_.load(std::memory_order_relaxed); }
  int stalled() const noexcept { return stalled_.load(std::memory_order_relaxed); }

  // With a manual clock, one caller at a time: runs on the loop's thread what is due by the clock, what was
  // attached, detached and posted, and what is ready, then fn(user) if given, and waits for it.
  void pump(CallFn fn = nullptr, void* user = nullptr);
  // After pump(): when the next tick (if anything is attached) or timer is due, by the clock; INT64_MAX:
  // none.
  int64_t next_due_ns() const noexcept;

  // False when the process had no descriptors left for a loop, which can then not wait.
  bool can_wait() const noexcept;

  size_t size() const noexcept { return drivers_.size(); }
  MediaLoop& at(size_t index) noexcept;
  // [any] The loop with the fewest callbacks attached; among equals, the one with the least busy time.
  MediaLoop& least_loaded() noexcept;

 private:
  struct Driver;

  const MediaOptions options_;
  // owned
  std::vector<std::unique_ptr<Driver>> drivers_;
  // state
  std::atomic<uint64_t> stalls_{0};
  std::atomic<int> stalled_{0};
};

}  // namespace patchbay::core
