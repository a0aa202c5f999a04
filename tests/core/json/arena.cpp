#include "json/arena.h"

#include <doctest/doctest.h>

#include <cstring>

using patchbay::core::json::Arena;

TEST_CASE("allocations of an arena are aligned, do not overlap and do not move") {
  Arena arena;
  std::vector<std::pair<unsigned char*, size_t>> pieces;
  for (size_t i = 1; i < 2000; i = i * 3 / 2 + 1) {
    for (const size_t alignment : {size_t{1}, size_t{8}, alignof(std::max_align_t)}) {
      auto* piece = static_cast<unsigned char*>(arena.allocate(i, alignment));
      CHECK(reinterpret_cast<uintptr_t>(piece) % alignment == 0);
      std::memset(piece, static_cast<int>(pieces.size() & 0xff), i);
      pieces.emplace_back(piece, i);
    }
  }
  for (size_t n = 0; n < pieces.size(); ++n) {
    CHECK(pieces[n].first[0] == (n & 0xff));
    CHECK(pieces[n].first[pieces[n].second - 1] == (n & 0xff));
  }
}

TEST_CASE("an allocation may be larger than any block before it, or empty") {
  Arena arena;
  static_cast<void>(arena.allocate(0, 1));
  std::memset(arena.allocate(1 << 20, 1), 1, 1 << 20);
  std::memset(arena.allocate(3, 1), 2, 3);
}
