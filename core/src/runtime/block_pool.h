// BlockPool: memory blocks of one size that are allocated on one thread and freed on another, as events are.
// Each thread keeps a few free blocks and exchanges them with a shared stock in batches, so that most calls
// take no lock, whereas malloc locks the heap of the allocating thread. Beyond its limits, and under
// AddressSanitizer, which must see each block freed, blocks go to operator new and delete.
#pragma once

#include <array>
#include <cstddef>
#include <mutex>
#include <new>

#include "runtime/address_sanitizer.h"
#include "runtime/limits.h"
#include "runtime/spin_lock.h"

namespace patchbay::core {

template <size_t kBytes>
class BlockPool {
 public:
  static constexpr size_t kSize = kBytes;

  // [any, not media] Aligned to a cache line.
  static void* allocate() {
    Cache& cache = cache_;
    if (cache.count == 0 && !refill(cache)) return ::operator new(kBytes, kAlignment);
    void* block = cache.blocks[--cache.count];
    if (cache.count >= 2) prefetch(cache.blocks[cache.count - 2]);
    return block;
  }

  // [any, not media] `block` comes from allocate(), on any thread.
  static void free(void* block) noexcept {
    Cache& cache = cache_;
    // Also an empty cache, because the thread's first block opens it.
    if ((cache.count == 0 || cache.count == cache.blocks.size()) && !make_room(cache))
      return ::operator delete(block, kAlignment);
    cache.blocks[cache.count++] = block;
  }

  // [any] The number of free blocks in the stock, for tests.
  static size_t stocked() noexcept {
    const std::lock_guard lock(stock_.lock);
    return stock_.count;
  }

 private:
  static constexpr std::align_val_t kAlignment{64};
  static constexpr size_t kBatch = kPooledBlockBatch;
  static constexpr size_t kMaxStock = kMaxPooledBytes / kBytes;

  // A thread's free blocks. Zero when the thread starts, so that no guard is checked per call.
  struct Cache {
    size_t count = 0;
    bool closed = false;  // the thread is ending
    std::array<void*, 2 * kBatch> blocks;
  };
  // Returns the blocks of a thread that ends.
  struct CacheCloser {
    ~CacheCloser() {
      cache_.closed = true;
      while (cache_.count > 0) give(cache_);
    }
  };
  struct Stock {
    SpinLock lock;
    size_t count = 0;
    std::array<void*, kMaxStock> blocks;
  };

  // Fetches the first cache lines of a block, which will be written soon, from the core that freed it.
  static void prefetch(const void* block) noexcept {
    for (size_t at = 0; at < kBytes && at < 192; at += 64) {
      const char* line = static_cast<const char*>(block) + at;
#if defined(__x86_64__)
      // The compiler emits it only for processors that are known to have it; on others it is a no-op.
      asm volatile("prefetchw %0" ::"m"(*line));
#else
      __builtin_prefetch(line, 1);
#endif
    }
  }

  // False when the stock is empty.
  [[gnu::noinline]] static bool refill(Cache& cache) {
    if (!open(cache)) return false;
    const std::lock_guard lock(stock_.lock);
    while (cache.count < kBatch && stock_.count > 0)
      cache.blocks[cache.count++] = stock_.blocks[--stock_.count];
    return cache.count > 0;
  }

  // False when the thread is ending.
  [[gnu::noinline]] static bool make_room(Cache& cache) noexcept {
    if (!open(cache)) return false;
    if (cache.count == cache.blocks.size()) give(cache);
    return true;
  }

  // Moves up to kBatch blocks to the stock, and frees those for which it has no room.
  static void give(Cache& cache) noexcept {
    const size_t left = cache.count > kBatch ? cache.count - kBatch : 0;
    {
      const std::lock_guard lock(stock_.lock);
      while (cache.count > left && stock_.count < kMaxStock)
        stock_.blocks[stock_.count++] = cache.blocks[--cache.count];
    }
    while (cache.count > left) ::operator delete(cache.blocks[--cache.count], kAlignment);
  }

  static bool open(const Cache& cache) noexcept {
    if (kHasAddressSanitizer) return false;
    thread_local CacheCloser closer;
    static_cast<void>(closer);
    return !cache.closed;
  }

  static inline thread_local constinit Cache cache_{};
  static inline constinit Stock stock_{};
};

}  // namespace patchbay::core
