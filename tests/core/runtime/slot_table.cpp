#include "runtime/slot_table.h"

#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "runtime/ref.h"

namespace {

using namespace patchbay::core;

std::atomic<int> alive{0};

struct Thing final : RefCounted<Thing> {
  explicit Thing(int number) : value(number) { ++alive; }
  int value;

 private:
  friend class RefCounted<Thing>;
  ~Thing() { --alive; }
};

}  // namespace

TEST_CASE("a value is found by its handle until it is taken out, and the handle is never reused") {
  SlotTable<Ref<Thing>> table;
  const uint64_t first = table.add(make_ref<Thing>(1));
  const uint64_t second = table.add(make_ref<Thing>(2));
  CHECK(first != 0);
  CHECK(table.find(first)->value == 1);
  CHECK(table.all().size() == 2);
  CHECK(table.take(first)->value == 1);
  CHECK_FALSE(table.find(first));
  CHECK_FALSE(table.take(first));
  const uint64_t third = table.add(make_ref<Thing>(3));  // in the slot of the first
  CHECK(third != first);
  CHECK_FALSE(table.find(first));
  CHECK(table.find(second)->value == 2);
  CHECK(table.size() == 2);
  for (const uint64_t nonsense :
       {uint64_t{0}, uint64_t{1}, ~uint64_t{0}, third + 1, third ^ (uint64_t{1} << 30)})
    CHECK_FALSE(table.find(nonsense));
}

TEST_CASE("a value that was taken out is freed only by the next add") {
  alive = 0;
  {
    SlotTable<Ref<Thing>> table;
    const uint64_t handle = table.add(make_ref<Thing>(1));
    {
      const auto taken = table.take_pinned(handle);  // as a media loop does
      REQUIRE(taken);
      CHECK((*taken)->value == 1);
      CHECK_FALSE(table.pin(handle));
    }
    CHECK(alive == 1);
    table.add(make_ref<Thing>(2));
    CHECK(alive == 1);  // the second
  }
  CHECK(alive == 0);
}

TEST_CASE("threads that find, take and add concurrently never find another value under a handle") {
  alive = 0;
  {
    SlotTable<Ref<Thing>> table;
    std::array<std::atomic<uint64_t>, 8> handles{};
    std::atomic<bool> over{false};
    std::atomic<int> wrong{0};
    std::atomic<int> taken{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 2; ++t) {
      threads.emplace_back([&] {
        while (!over) {
          for (size_t i = 0; i < handles.size(); ++i) {
            if (const auto held = table.pin(handles[i]))
              wrong += (*held)->value % 8 == static_cast<int>(i) ? 0 : 1;
            if (const auto held = table.take_pinned(handles[i])) {
              ++taken;
              wrong += (*held)->value % 8 == static_cast<int>(i) ? 0 : 1;
            }
          }
        }
      });
    }
    constexpr int kRounds = 5000;
    for (int round = 0; round < kRounds; ++round)
      for (int i = 0; i < 8; ++i) handles[static_cast<size_t>(i)] = table.add(make_ref<Thing>(round * 8 + i));
    over = true;
    for (auto& thread : threads) thread.join();
    CHECK(wrong == 0);
    CHECK(static_cast<size_t>(taken) + table.size() == static_cast<size_t>(kRounds) * 8);
  }
  CHECK(alive == 0);
}
