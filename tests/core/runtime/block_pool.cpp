#include "runtime/block_pool.h"

#include <doctest/doctest.h>

#include <atomic>
#include <cstring>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "runtime/address_sanitizer.h"
using namespace patchbay::core;

namespace {

// Each test has its own size, and so its own stock.
template <class Pool>
std::vector<void*> allocate(size_t count) {
  std::vector<void*> blocks;
  for (size_t i = 0; i < count; ++i) {
    blocks.push_back(Pool::allocate());
    std::memset(blocks.back(), int(i), Pool::kSize);
  }
  return blocks;
}

template <class Pool>
void free_all(const std::vector<void*>& blocks) {
  for (void* block : blocks) Pool::free(block);
}

// Under AddressSanitizer the pool keeps no blocks.
const doctest::skip kNotWithAddressSanitizer(kHasAddressSanitizer);
const doctest::skip kOnlyWithAddressSanitizer(!kHasAddressSanitizer);

}  // namespace

TEST_CASE("Blocks that were freed on another thread are allocated again" * kNotWithAddressSanitizer) {
  using Pool = BlockPool<320>;
  const std::vector<void*> blocks = allocate<Pool>(300);
  const std::set<void*> distinct(blocks.begin(), blocks.end());
  CHECK(distinct.size() == 300);
  std::thread([&] { free_all<Pool>(blocks); }).join();
  CHECK(Pool::stocked() == 300);
  const std::vector<void*> again = allocate<Pool>(300);
  CHECK(std::set<void*>(again.begin(), again.end()) == distinct);
  free_all<Pool>(again);
}

TEST_CASE("Free blocks beyond the limit return to the heap" * kNotWithAddressSanitizer) {
  using Pool = BlockPool<4096>;
  constexpr size_t kMax = kMaxPooledBytes / Pool::kSize;
  const std::vector<void*> blocks = allocate<Pool>(4 * kMax);
  std::thread([&] { free_all<Pool>(blocks); }).join();
  CHECK(Pool::stocked() == kMax);
}

TEST_CASE("A block that a thread frees while it ends is freed, too" * kNotWithAddressSanitizer) {
  using Pool = BlockPool<448>;
  struct FreedLast {
    void* block = nullptr;
    ~FreedLast() {
      if (block != nullptr) Pool::free(block);
    }
  };
  std::thread([] {
    thread_local FreedLast last;  // destroyed after the thread's blocks were returned
    last.block = Pool::allocate();
    Pool::free(Pool::allocate());
  }).join();
  CHECK(Pool::stocked() == 1);
}

TEST_CASE("Under AddressSanitizer, the pool keeps no blocks" * kOnlyWithAddressSanitizer) {
  using Pool = BlockPool<704>;
  const std::vector<void*> blocks = allocate<Pool>(300);
  std::thread([&] { free_all<Pool>(blocks); }).join();
  CHECK(Pool::stocked() == 0);
}

TEST_CASE("No block is in two hands while threads allocate and free") {
  using Pool = BlockPool<576>;
  std::mutex mutex;
  std::vector<int*> shared;
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int round = 0; round < 200; ++round) {
        std::vector<int*> mine;
        for (int i = 0; i < 50; ++i) {
          mine.push_back(static_cast<int*>(Pool::allocate()));
          *mine.back() = t;
        }
        for (int* block : mine) wrong += *block != t;
        {
          const std::lock_guard lock(mutex);
          mine.swap(shared);  // frees what another thread allocated
        }
        for (int* block : mine) Pool::free(block);
      }
    });
  for (auto& thread : threads) thread.join();
  for (int* block : shared) Pool::free(block);
  CHECK(wrong == 0);
}
