// How long the writer's connection may take: for one task, and for a lock that another process holds.
#pragma once

#include <sqlite3.h>

#include <atomic>
#include <chrono>
#include <cstdint>

namespace patchbay::core {

// Belongs to the writer's thread, but for give_up().
class WriteLimits {
 public:
  // Becomes the connection's progress and busy handler; must outlive it or its last use.
  void install(sqlite3* db);

  // Ends SQL that still runs this long from now, with Code::timeout.
  void begin_task(int64_t budget_ms);
  void end_task() { deadline_ = Moment::max(); }
  // Whether SQL was ended since begin_task().
  bool expired() const { return expired_; }

  // How long one lock of another process is waited for.
  void wait_for_locks(int64_t ms) { lock_wait_ms_ = ms; }

  // [any] Ends what runs, and waits for nothing from now on.
  void give_up() noexcept { given_up_.store(true, std::memory_order_relaxed); }
  bool given_up() const noexcept { return given_up_.load(std::memory_order_relaxed); }

  // [any] How often a lock had to be waited for.
  uint64_t lock_waits() const noexcept { return lock_waits_.load(std::memory_order_relaxed); }

 private:
  using Moment = std::chrono::steady_clock::time_point;
  static int on_progress(void* self);
  static int on_busy(void* self, int count);

  Moment deadline_ = Moment::max();
  bool expired_ = false;
  int64_t lock_wait_ms_ = 0;
  Moment lock_wait_until_;
  std::atomic<bool> given_up_{false};
  std::atomic<uint64_t> lock_waits_{0};
};

}  // namespace patchbay::core
