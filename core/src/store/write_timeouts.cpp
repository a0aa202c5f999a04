#include "store/write_timeouts.h"

#include <thread>

#include "store/limits.h"

namespace patchbay::core {

void WriteTimeouts::install(sqlite3* db) {
  sqlite3_progress_handler(db, kStepsPerTimeoutCheck, &WriteTimeouts::on_progress, this);
  sqlite3_busy_handler(db, &WriteTimeouts::on_busy, this);
}

void WriteTimeouts::begin_task(int64_t budget_ms) {
  expired_ = false;
  deadline_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(budget_ms);
}

// Progress handler: a result other than 0 interrupts the statement.
int WriteTimeouts::on_progress(void* raw) {
  auto& self = *static_cast<WriteTimeouts*>(raw);
  if (!self.cancelled() && std::chrono::steady_clock::now() <= self.deadline_) return 0;
  self.expired_ = true;
  return 1;
}

// Busy handler: a result other than 0 tries again. `count` is the number of earlier tries for this lock.
int WriteTimeouts::on_busy(void* raw, int count) {
  auto& self = *static_cast<WriteTimeouts*>(raw);
  const auto now = std::chrono::steady_clock::now();
  if (count == 0) {
    self.lock_waits_.fetch_add(1, std::memory_order_relaxed);
    self.lock_wait_until_ = now + std::chrono::milliseconds(self.lock_timeout_ms_);
  }
  if (self.cancelled() || now >= self.lock_wait_until_) return 0;
  std::this_thread::sleep_for(std::chrono::milliseconds(kLockRetryMs));
  return 1;
}

}  // namespace patchbay::core
