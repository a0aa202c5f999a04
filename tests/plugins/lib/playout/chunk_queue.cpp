#include "playout/chunk_queue.h"

#include <doctest/doctest.h>

#include <atomic>
#include <set>
#include <thread>

using patchbay::lib::Chunk;
using patchbay::lib::ChunkQueue;

namespace {

void push(ChunkQueue& queue, uint32_t number) {
  Chunk* chunk = queue.take();
  chunk->size = number;
  queue.push(chunk);
}

uint32_t pop(ChunkQueue& queue) {
  const uint32_t number = queue.front()->size;
  queue.pop();
  return number;
}

}  // namespace

TEST_CASE("chunks come out in the order in which they went in") {
  ChunkQueue queue;
  CHECK(queue.front() == nullptr);
  for (uint32_t number = 0; number < 10; ++number) push(queue, number);
  for (uint32_t number = 0; number < 10; ++number) CHECK(pop(queue) == number);
  CHECK(queue.front() == nullptr);
}

TEST_CASE("a chunk that was read is used again") {
  ChunkQueue queue;
  std::set<const Chunk*> chunks;
  for (uint32_t number = 0; number < 100; ++number) {
    push(queue, number);
    chunks.insert(queue.front());
    CHECK(pop(queue) == number);
  }
  CHECK(chunks.size() == 2);  // the last chunk that was read stays in the list
}

TEST_CASE("chunks that were read are never used while others wait before them") {
  ChunkQueue queue;
  for (uint32_t number = 0; number < 50; ++number) push(queue, number);
  for (uint32_t number = 0; number < 40; ++number) CHECK(pop(queue) == number);
  for (uint32_t number = 50; number < 90; ++number) push(queue, number);
  for (uint32_t number = 40; number < 90; ++number) CHECK(pop(queue) == number);
}

TEST_CASE("two threads pass a million chunks without losing one") {
  constexpr uint32_t kCount = 1'000'000;
  ChunkQueue queue;
  std::atomic<uint32_t> read{0};
  bool in_order = true;
  std::thread consumer([&] {
    while (read < kCount) {
      const Chunk* front = queue.front();
      if (!front) {
        std::this_thread::yield();
        continue;
      }
      in_order = in_order && front->size == read;
      queue.pop();
      ++read;
    }
  });
  for (uint32_t number = 0; number < kCount; ++number) {
    while (number - read > 1000) std::this_thread::yield();  // as the playout bounds what waits
    push(queue, number);
  }
  consumer.join();
  CHECK(in_order);
}
