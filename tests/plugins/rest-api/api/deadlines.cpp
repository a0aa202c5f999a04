#include "api/deadlines.h"

#include <doctest/doctest.h>
#include <patchbay/testing/test_environment.h>

#include <cstddef>
#include <memory>
#include <vector>

using patchbay::rest_api::Deadlines;

namespace {

// Counts the blocks of memory that are not freed.
template <class T>
struct CountingAllocator {
  using value_type = T;
  explicit CountingAllocator(size_t& count) : blocks(&count) {}
  template <class U>
  explicit CountingAllocator(const CountingAllocator<U>& other) : blocks(other.blocks) {}
  T* allocate(size_t count) {
    ++*blocks;
    return std::allocator<T>().allocate(count);
  }
  void deallocate(T* memory, size_t count) {
    --*blocks;
    std::allocator<T>().deallocate(memory, count);
  }
  size_t* blocks;
};

}  // namespace

TEST_CASE("answered requests behind an unanswered request take no memory") {
  size_t blocks = 0;
  std::vector<int> expired;
  patchbay::testing::TestEnvironment environment;
  auto& deadlines = environment.make<Deadlines<int>>(
      environment.host(), 1000, [&](const std::shared_ptr<int>& entry) { expired.push_back(*entry); });
  const auto add = [&](int number) {
    return environment.run([&] {
      auto entry = std::allocate_shared<int>(CountingAllocator<int>(blocks), number);
      deadlines.add(entry);
      return entry;
    });
  };
  const auto first = add(1);
  for (int i = 0; i < 1000; ++i) add(2);
  const auto last = add(3);
  CHECK(blocks < 100);
  CHECK(environment.advance_ms(1500).ok());
  CHECK(expired == std::vector<int>{1, 3});
}
