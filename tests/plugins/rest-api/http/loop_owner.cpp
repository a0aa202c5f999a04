#include "http/loop_owner.h"

#include <doctest/doctest.h>

using patchbay::rest_api::LoopOwner;

TEST_CASE("a loop is taken over during a handler call only, and then the thread of the call has lost it") {
  LoopOwner owner;
  CHECK(owner.running() == 0);
  const LoopOwner::Call first = owner.release();
  CHECK(owner.running() == first);
  CHECK(owner.reclaim(first));
  CHECK(owner.running() == 0);
  CHECK_FALSE(owner.take_over(first));

  const LoopOwner::Call second = owner.release();
  CHECK(second != first);
  CHECK_FALSE(owner.take_over(first));
  CHECK(owner.take_over(second));
  CHECK_FALSE(owner.reclaim(second));
  const LoopOwner::Call third = owner.release();
  CHECK_FALSE(owner.reclaim(second));
  CHECK(owner.reclaim(third));
}
