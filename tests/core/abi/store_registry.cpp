#include "abi/store_registry.h"

#include <doctest/doctest.h>

using namespace patchbay::core;

TEST_CASE("the jobs that a transaction ends are found, with the plugin that owns them") {
  Transaction tx;
  tx.add(JobAddOp{"a/dial", "t", "", 0, ""});
  tx.add(JobDoneOp{7, 1, "a/"});
  tx.add(JobRetryOp{8, 1, 0, "b/"});
  const auto ended = StoreRegistry::jobs_ended_by(tx);
  REQUIRE(ended.size() == 2);
  CHECK(ended[0].job == 7);
  CHECK(ended[0].kind_prefix == "a/");
  CHECK(ended[1].job == 8);
  CHECK(ended[1].kind_prefix == "b/");
}
