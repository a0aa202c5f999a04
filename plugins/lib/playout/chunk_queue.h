// ChunkQueue: pieces of speech between exactly one producer thread and one consumer thread, a linked list
// without a lock. Only the producer allocates and frees: it reuses the chunks that the consumer has read, so
// the memory follows what waits.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace patchbay::lib {

struct Chunk {
  static constexpr size_t kMaxSamples = 480;  // 20 ms at 24 kHz: the messages of most engines

  std::atomic<Chunk*> next{nullptr};
  uint32_t epoch = 0;
  uint32_t size = 0;
  int16_t samples[kMaxSamples];
};

class ChunkQueue {
 public:
  ChunkQueue();
  // Frees all chunks. Neither thread may be in a call.
  ~ChunkQueue();
  ChunkQueue(const ChunkQueue&) = delete;
  ChunkQueue& operator=(const ChunkQueue&) = delete;

  // [producer] How many chunks wait.
  size_t size() const noexcept { return pushed_ - popped_.load(std::memory_order_acquire); }
  // [producer] Returns a chunk to fill, which the caller must push.
  Chunk* take();
  void push(Chunk* chunk) noexcept;

  // [consumer, wait-free] The oldest chunk, valid until pop(); null: none.
  Chunk* front() const noexcept {
    return read_.load(std::memory_order_relaxed)->next.load(std::memory_order_acquire);
  }
  void pop() noexcept {
    read_.store(front(), std::memory_order_release);
    popped_.fetch_add(1, std::memory_order_release);
  }

 private:
  // The list: oldest_ ... read_ (all read) ... last_.
  // producer
  Chunk* oldest_;
  Chunk* last_;
  size_t pushed_ = 0;
  // shared
  alignas(64) std::atomic<Chunk*> read_;  // the last chunk that was read
  std::atomic<size_t> popped_{0};
};

}  // namespace patchbay::lib
