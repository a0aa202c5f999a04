// Epoch-based reclamation: many threads read a structure without a lock while one replaces it. A reader holds
// an EpochGuard; the writer stamps a replaced object with advance_epoch() and frees it once is_reclaimable().
// Reader records are process-wide, one per reading thread, and are reused after a thread ends.
#pragma once

#include <atomic>
#include <cstdint>

namespace patchbay::core {

struct EpochReader {
  std::atomic<uint64_t> at{0};  // epoch of the current read; 0: not reading
  std::atomic<bool> in_use{true};
  EpochReader* next = nullptr;
};

inline std::atomic<uint64_t> epoch_now{1};
inline thread_local constinit EpochReader* epoch_reader = nullptr;
// Whether membarrier(2) works here; set before main.
extern const bool epoch_barrier;

// Assigns a record to this thread until the thread ends.
EpochReader& register_epoch_reader();

// [any] Must not nest on a thread, and must not block while it lives, as that delays reclamation.
class EpochGuard {
 public:
  EpochGuard() : reader_(epoch_reader ? *epoch_reader : register_epoch_reader()) {
    // The store must be visible before this thread reads the structure. With membarrier(2), advance_epoch()
    // issues the barrier for all threads; otherwise each reader issues its own.
    const uint64_t now = epoch_now.load(std::memory_order_acquire);
    if (epoch_barrier) {
      reader_.at.store(now, std::memory_order_relaxed);
      std::atomic_signal_fence(std::memory_order_seq_cst);
    } else {
      reader_.at.store(now);
    }
  }
  ~EpochGuard() { reader_.at.store(0, std::memory_order_release); }
  EpochGuard(const EpochGuard&) = delete;
  EpochGuard& operator=(const EpochGuard&) = delete;

 private:
  EpochReader& reader_;
};

// Returns the epoch to stamp replaced objects with. Call once the replacement is visible.
uint64_t advance_epoch() noexcept;
// True when no reader can still hold an object replaced at `epoch`.
bool is_reclaimable(uint64_t epoch) noexcept;

}  // namespace patchbay::core
