// Time limits of the writer's connection: for one task, and for a lock that another process holds.
#pragma once

#include <sqlite3.h>

#include <atomic>
#include <chrono>
#include <cstdint>

namespace patchbay::core {

// Writer's thread only, except for functions marked [any].
class WriteTimeouts {
 public:
  // Counts in `lock_waits` how often the connection waited for a lock.
  explicit WriteTimeouts(std::atomic<uint64_t>& lock_waits) : lock_waits_(lock_waits) {}

  // Installs the connection's progress and busy handlers; must outlive the connection's last use.
  void install(sqlite3* db);

  // Interrupts SQL that still runs after `budget_ms`; it fails with Code::timeout.
  void begin_task(int64_t budget_ms);
  void end_task() { deadline_ = Moment::max(); }
  // True when SQL was interrupted since begin_task().
  bool expired() const { return expired_; }

  // Sets how long to wait for one lock of another process.
  void set_lock_timeout(int64_t ms) { lock_timeout_ms_ = ms; }

  // [any] Interrupts running SQL, and ends all waiting from now on.
  void cancel() noexcept { cancelled_.store(true, std::memory_order_relaxed); }
  bool cancelled() const noexcept { return cancelled_.load(std::memory_order_relaxed); }

 private:
  using Moment = std::chrono::steady_clock::time_point;
  static int on_progress(void* self);
  static int on_busy(void* self, int count);

  // borrowed
  std::atomic<uint64_t>& lock_waits_;
  // state
  Moment deadline_ = Moment::max();
  bool expired_ = false;
  int64_t lock_timeout_ms_ = 0;
  Moment lock_wait_until_;
  std::atomic<bool> cancelled_{false};
};

}  // namespace patchbay::core
