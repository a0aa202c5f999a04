// EndWatch: tells a strand once that what a handle names has ended: an instance, a port, a plugin that
// called. The owner of the thing says so (EndWatches::ended); how it came to an end makes no difference.
#pragma once

#include <patchbay/abi/base.h>

#include <atomic>
#include <map>
#include <mutex>

#include "runtime/registration.h"

namespace patchbay::core {

class EndWatch final : public Registration {
 public:
  EndWatch(Ref<Strand> strand, pb_fn fn, void* user)
      : Registration(std::move(strand)), fn_(fn), user_(user) {}
  // [any] Only the first counts.
  void notify();

 private:
  const pb_fn fn_;
  void* const user_;
  std::atomic<bool> notified_{false};
};

// Any thread but a media loop.
class EndWatches {
 public:
  // The number of the watch. Who adds it asks afterwards whether the thing is there still, and says ended()
  // if not: an end in between is told then, too.
  uint64_t add(uint64_t handle, Ref<EndWatch> watch);
  // Null: there is none.
  Ref<EndWatch> take(uint64_t watch);
  void ended(uint64_t handle);

 private:
  struct Entry {
    uint64_t handle = 0;
    Ref<EndWatch> watch;
  };
  std::mutex mutex_;
  std::map<uint64_t, Entry> entries_;            // by number
  std::multimap<uint64_t, uint64_t> by_handle_;  // numbers by what is watched
};

}  // namespace patchbay::core
