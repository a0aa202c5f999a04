#include "store/json_cache.h"

#include <doctest/doctest.h>

#include <chrono>
#include <utility>

#include "store/limits.h"

using namespace patchbay::core;

namespace {

JsonRowsPtr rows_of(size_t octets) {
  return std::make_shared<const JsonRows>(JsonRows{std::string(octets, 'x'), 1});
}

}  // namespace

TEST_CASE("A kept result has its key and its version") {
  JsonCache cache;
  const auto rows = rows_of(10);
  cache.put("a", 1, {}, rows);
  CHECK(cache.find("a", 1, {}) == rows);
  CHECK(cache.find("b", 1, {}) == nullptr);
  CHECK(cache.find("a", 2, {}) == nullptr);
  CHECK(cache.find("a", 1, {}) == nullptr);  // dropped, because versions only grow
  const auto next = rows_of(11);
  cache.put("a", 2, {}, rows);
  cache.put("a", 3, {}, next);
  CHECK(cache.find("a", 3, {}) == next);
}

TEST_CASE("A kept result has an age, and is not replaced by what was read before it") {
  const JsonCache::Moment begin{}, later = begin + std::chrono::seconds(1);
  JsonCache cache;
  const auto rows = rows_of(10);
  cache.put("a", 1, later, rows);
  cache.put("a", 1, begin, rows_of(11));
  CHECK(cache.find("a", 1, later) == rows);
  CHECK(cache.find("a", 1, later + std::chrono::milliseconds(1)) == nullptr);
  CHECK(cache.find("a", 1, begin) == nullptr);  // dropped, because time only passes
  cache.put("a", 1, begin, rows);
  CHECK(cache.find("a", 1, begin) == rows);
}

TEST_CASE("The results used least recently are dropped, by number and by size") {
  JsonCache cache;
  for (size_t i = 0; i < kMaxCachedResults; ++i) cache.put(std::to_string(i), 1, {}, rows_of(1));
  CHECK(cache.find("0", 1, {}) != nullptr);
  cache.put("new", 1, {}, rows_of(1));
  CHECK(cache.find("0", 1, {}) != nullptr);
  CHECK(cache.find("1", 1, {}) == nullptr);

  const size_t large = kMaxCachedResultBytes;
  for (size_t i = 0; i <= kMaxCachedBytes / large; ++i)
    cache.put("large" + std::to_string(i), 1, {}, rows_of(large));
  CHECK(cache.find("large0", 1, {}) == nullptr);
  CHECK(cache.find("large1", 1, {}) != nullptr);
  cache.put("too large", 1, {}, rows_of(large + 1));
  CHECK(cache.find("too large", 1, {}) == nullptr);
}

TEST_CASE("A kept result counts with the memory it takes") {
  JsonCache cache;
  JsonRows grown;
  grown.text.reserve(kMaxCachedResultBytes + 1);
  grown.text = "[]";
  cache.put("a", 1, {}, std::make_shared<const JsonRows>(std::move(grown)));
  CHECK(cache.find("a", 1, {}) == nullptr);
  const std::string largest(kMaxCachedKeyBytes, 'k');
  cache.put(largest, 1, {}, rows_of(1));
  CHECK(cache.find(largest, 1, {}) != nullptr);
  cache.put(largest + 'k', 1, {}, rows_of(1));
  CHECK(cache.find(largest + 'k', 1, {}) == nullptr);
}

TEST_CASE("A result that was read before the last commit does not replace a later one") {
  JsonCache cache;
  const auto later = rows_of(2);
  cache.put("a", 2, {}, later);
  cache.put("a", 1, {}, rows_of(1));
  CHECK(cache.find("a", 1, {}) == nullptr);
  CHECK(cache.find("a", 2, {}) == later);
}
