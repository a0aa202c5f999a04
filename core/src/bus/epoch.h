// Epoch: lets many threads read a structure while one replaces it, without a lock for the readers. A reader
// holds an EpochGuard; who replaced something stamps it with advance_epoch() and frees it once
// is_reclaimable() says so. The readers' records are process-wide, one per thread that ever read, and are
// used again.
#pragma once

#include <atomic>
#include <cstdint>

namespace patchbay::core {

struct EpochReader {
  std::atomic<uint64_t> at{0};  // the epoch it reads in; 0 outside
  std::atomic<bool> taken{true};
  EpochReader* next = nullptr;
};

inline std::atomic<uint64_t> epoch_now{1};
inline thread_local constinit EpochReader* epoch_reader = nullptr;
// Whether membarrier(2) works here; settled before main.
extern const bool epoch_barrier;

// Takes a record for this thread; given back when the thread ends.
EpochReader& register_epoch_reader();

// [any] Must not be nested on one thread, and nothing may wait inside.
class EpochGuard {
 public:
  EpochGuard() : reader_(epoch_reader ? *epoch_reader : register_epoch_reader()) {
    // The store must be seen before anything is read through it. advance_epoch() pays for that where the
    // kernel can put a barrier into every thread; else each reader does.
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

// Call after the replacement is visible.
uint64_t advance_epoch() noexcept;
// True when no reader can still hold what was retired at `epoch`.
bool is_reclaimable(uint64_t epoch) noexcept;

}  // namespace patchbay::core
