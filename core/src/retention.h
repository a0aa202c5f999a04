// Retention: keeps the event log small. Forgets events that are old and that no consumer waits for, and
// consumers that no plugin has registered for as long.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "runtime/runtime.h"
#include "store/store.h"

namespace patchbay::core {

// Sweeps in slices, each a task of the store's writer, so that commits wait for one slice at most. The next
// slice follows from the answer to the last one; only the hourly beginning needs a strand.
class Retention {
 public:
  static constexpr int64_t kKeepMs = int64_t{30} * 24 * 3600 * 1000;
  static constexpr int64_t kFirstMs = 60 * 1000;
  static constexpr int64_t kEveryMs = 3600 * 1000;
  static constexpr int64_t kSlice = 500;
  // Events that are old but still pending are looked at again once in so many sweeps.
  static constexpr int kSweepsPerPass = 24;

  // Borrows both until the destructor returns; the runtime also behind it, for its timer. `warn` gets a
  // sentence for the log, on a thread of the store.
  Retention(Runtime& runtime, Store& store, std::function<void(const std::string&)> warn);
  // Does not wait for a strand: a sweep that comes later finds it ended.
  ~Retention();

  // [any] Events removed since the start.
  uint64_t removed() const;

 private:
  class Sweeper;
  const std::shared_ptr<Sweeper> sweeper_;
};

}  // namespace patchbay::core
