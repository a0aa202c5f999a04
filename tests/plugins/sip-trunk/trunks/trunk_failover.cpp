#include "trunks/trunk_failover.h"

#include <doctest/doctest.h>

using namespace patchbay::sip_trunk;

namespace {

DialogEnd rejected(int status) { return {EndReason::rejected, status, {}}; }
DialogEnd because(EndReason reason) { return {reason, 0, {}}; }

// Returns whether the second of two trunks is tried after this end of the first.
bool moves_on(const DialogEnd& ended, int progress = 0) {
  TrunkFailover failover({"a", "b"});
  if (progress != 0) failover.on_progress(progress);
  const bool next = failover.on_ended(ended);
  CHECK(next == (failover.current() != nullptr));
  return next;
}

}  // namespace

TEST_CASE("failures of a trunk move on to the next") {
  CHECK(moves_on(because(EndReason::transport)));
  CHECK(moves_on(because(EndReason::silence)));
  for (int status : {403, 408, 500, 502, 503, 504, 580}) CHECK(moves_on(rejected(status)));
}

TEST_CASE("answers about the callee do not move on") {
  for (int status :
       {300, 301, 302, 305, 380, 400, 401, 404, 405, 407, 410, 480, 481, 484, 486, 487, 488, 600, 603, 606})
    CHECK_FALSE(moves_on(rejected(status)));
  for (auto reason : {EndReason::no_answer, EndReason::no_media, EndReason::cancelled,
                      EndReason::local_hangup, EndReason::stopped, EndReason::far_hangup})
    CHECK_FALSE(moves_on(because(reason)));
}

TEST_CASE("nothing moves on after the callee was reached") {
  for (int progress : {180, 181, 182, 183, 199}) {
    CHECK_FALSE(moves_on(rejected(503), progress));
    CHECK_FALSE(moves_on(because(EndReason::transport), progress));
  }
  CHECK(moves_on(rejected(503), 100));
}

TEST_CASE("trunks are tried in order until none is left") {
  TrunkFailover failover({"a", "b", "c"});
  CHECK(*failover.current() == "a");
  CHECK(failover.on_ended(rejected(503)));
  CHECK(*failover.current() == "b");
  CHECK(failover.on_ended(because(EndReason::silence)));
  CHECK(*failover.current() == "c");
  CHECK_FALSE(failover.on_ended(rejected(503)));
  CHECK(failover.current() == nullptr);
  CHECK_FALSE(failover.on_ended(rejected(503)));
  CHECK(TrunkFailover({}).current() == nullptr);
}
