// EndWatch: calls back once when the object behind a handle ends: an instance, a port, a plugin that calls.
// The owner of the object reports the end with EndWatches::ended(), whatever its cause.
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
  // [any] Calls back on the strand; later calls are no-ops.
  void notify();

 private:
  const pb_fn fn_;
  void* const user_;
  std::atomic<bool> notified_{false};
};

// Any thread but a media loop.
class EndWatches {
 public:
  // Returns the handle of the watch. The caller must check afterwards whether the object still exists, and
  // call ended() if not; otherwise an end in between would be missed.
  uint64_t add(uint64_t handle, Ref<EndWatch> watch);
  // Removes the watch; null if there is none.
  Ref<EndWatch> take(uint64_t watch);
  void ended(uint64_t handle);

 private:
  struct Entry {
    uint64_t handle = 0;
    Ref<EndWatch> watch;
  };
  std::mutex mutex_;
  std::map<uint64_t, Entry> entries_;            // by handle of the watch
  std::multimap<uint64_t, uint64_t> by_handle_;  // handles of watches by watched handle
};

}  // namespace patchbay::core
