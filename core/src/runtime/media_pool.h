// MediaPool: the media loops of the process, each driven by a thread at absolute deadlines. A thread whose
// loop has nothing attached sleeps.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "runtime/media_loop.h"

namespace patchbay::core {

struct MediaOptions {
  unsigned loops = 0;  // 0: one per core
  bool realtime =
      true;  // ask for SCHED_FIFO, else a better nice value; go on without if neither is permitted
};

class MediaPool {
 public:
  explicit MediaPool(const MediaOptions& options = {});
  ~MediaPool();

  // Ends the threads and completes the detaches that wait. Once; nothing ticks afterwards.
  void stop();

  size_t size() const noexcept { return drivers_.size(); }
  MediaLoop& at(size_t index) noexcept;
  // [any] The loop with the fewest attached, of these the one that worked least.
  MediaLoop& least_loaded() noexcept;

 private:
  struct Driver;

  // owned
  std::vector<std::unique_ptr<Driver>> drivers_;
};

}  // namespace patchbay::core
