#include "playout/chunk_queue.h"

namespace patchbay::lib {

ChunkQueue::ChunkQueue() : oldest_(new Chunk), last_(oldest_), read_(oldest_) {}

ChunkQueue::~ChunkQueue() {
  while (oldest_) {
    Chunk* next = oldest_->next.load(std::memory_order_relaxed);
    delete oldest_;
    oldest_ = next;
  }
}

Chunk* ChunkQueue::take() {
  const Chunk* read = read_.load(std::memory_order_acquire);
  if (oldest_ == read) return new Chunk;
  Chunk* chunk = oldest_;
  oldest_ = chunk->next.load(std::memory_order_relaxed);
  // Frees one more, so that the memory of a long answer is not held until the call ends.
  if (oldest_ != read) {
    Chunk* spare = oldest_;
    oldest_ = spare->next.load(std::memory_order_relaxed);
    delete spare;
  }
  return chunk;
}

void ChunkQueue::push(Chunk* chunk) noexcept {
  chunk->next.store(nullptr, std::memory_order_relaxed);
  last_->next.store(chunk, std::memory_order_release);
  last_ = chunk;
  ++pushed_;
}

}  // namespace patchbay::lib
