// MediaPool: the media loops of the process, each driven by a thread at absolute deadlines. A thread whose
// loop has nothing attached sleeps.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <vector>

#include "runtime/media_loop.h"
#include "runtime/watchdog.h"

namespace patchbay::core {

struct MediaOptions {
  unsigned loops = 0;  // 0: one per core
  bool realtime =
      true;  // ask for SCHED_FIFO, else a better nice value; go on without if neither is permitted
  int64_t watchdog_ms = 1000;  // a tick that runs longer is reported once
  StallFn on_stall = nullptr;  // on the watchdog's thread
  void* stall_user = nullptr;
};

class MediaPool {
 public:
  explicit MediaPool(const MediaOptions& options = {});
  ~MediaPool();

  // Ends the threads and completes the detaches that wait. Once; nothing ticks afterwards, except on a loop
  // whose tick has not come back within `timeout`: that loop and its thread stay as long as the process.
  void stop(std::chrono::milliseconds timeout = std::chrono::seconds(5));

  // [watchdog] Looks for a tick that does not come back.
  void check(int64_t now_ns);
  // [any] Ticks that were reported so far, and loops that are in such a tick now.
  uint64_t stalls() const noexcept { return stalls_.load(std::memory_order_relaxed); }
  int stalled() const noexcept { return stalled_.load(std::memory_order_relaxed); }

  size_t size() const noexcept { return drivers_.size(); }
  MediaLoop& at(size_t index) noexcept;
  // [any] The loop with the fewest attached, of these the one that worked least.
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
