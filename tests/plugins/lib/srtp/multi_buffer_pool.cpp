#include "srtp/multi_buffer_pool.h"

#include <doctest/doctest.h>

#include <optional>
#include <thread>

using namespace patchbay::lib;

TEST_CASE("a pool lends each MultiBuffer to one borrower at a time") {
  const auto pool = *MultiBufferPool::create(2);
  const MultiBufferPool::Loan first = pool->borrow();
  {
    const MultiBufferPool::Loan second = pool->borrow();
    CHECK(static_cast<bool>(first));
    CHECK(static_cast<bool>(second));
    CHECK(first.operator->() != second.operator->());
    CHECK_FALSE(static_cast<bool>(pool->borrow()));
  }
  CHECK(static_cast<bool>(pool->borrow()));
}
