// EventRetention: keeps the event log small. Removes events older than kKeepMs that are pending for no
// consumer, and forgets consumers that no plugin has registered for as long.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "runtime/runtime.h"
#include "store/store.h"

namespace patchbay::core {

// Sweeps in slices, each a task of the store's writer, so that a commit waits for one slice at most. The
// result of a slice starts the next one; only the hourly start of a sweep needs a strand.
class EventRetention {
 public:
  static constexpr int64_t kKeepMs = int64_t{30} * 24 * 3600 * 1000;
  static constexpr int64_t kFirstSweepMs = 60 * 1000;
  static constexpr int64_t kSweepIntervalMs = 3600 * 1000;
  static constexpr int64_t kSlice = 500;
  // Each sweep continues where the last one ended; after this many it starts over, for old events that were
  // still pending.
  static constexpr int kSweepsPerPass = 24;

  // Borrows the store until the destructor returns, and the runtime for longer, because a cancelled timer may
  // still run. `warn` writes to the log; called on a thread of the store.
  EventRetention(Runtime& runtime, Store& store, std::function<void(const std::string&)> warn);
  // Does not wait for a strand; a sweep that starts later is a no-op.
  ~EventRetention();

  // [any] Number of events removed since the start.
  uint64_t removed() const;

 private:
  class Sweeper;
  const std::shared_ptr<Sweeper> sweeper_;
};

}  // namespace patchbay::core
