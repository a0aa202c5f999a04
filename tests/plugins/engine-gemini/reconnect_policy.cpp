#include "reconnect_policy.h"

#include <doctest/doctest.h>

#include <initializer_list>

using namespace patchbay::engine_gemini;

namespace {

constexpr ReconnectTimes kTimes{.budget_ms = 30000};

}  // namespace

TEST_CASE("reconnecting: a refusal before the first ready is answered with a reduced setup, once") {
  ReconnectPolicy policy(kTimes);
  policy.start(0);
  auto first = policy.next(0, {1007, 0, true}, false);
  CHECK(first.kind == ReconnectStep::Kind::fresh);
  CHECK(first.reduced);
  CHECK(policy.next(0, {1007, 0, true}, false).kind == ReconnectStep::Kind::fail);
  ReconnectPolicy other(kTimes);
  CHECK(other.next(0, {1008, 0, true}, false).kind == ReconnectStep::Kind::fail);
  CHECK(other.next(0, {1006, 403, true}, false).kind == ReconnectStep::Kind::fail);
}

TEST_CASE("reconnecting: a drop in mid-call resumes with back-off, then starts a new session, then fails") {
  ReconnectPolicy policy(kTimes);
  policy.start(0);
  policy.connected(0);
  auto a = policy.next(100000, {1006, 0, false}, true);
  CHECK(a.kind == ReconnectStep::Kind::resume);
  CHECK(a.delay_ms == 500);
  CHECK(policy.next(101000, {1011, 0, true}, true).delay_ms == 1000);
  auto c = policy.next(103000, {1011, 0, true}, true);
  CHECK(c.kind == ReconnectStep::Kind::fresh);
  CHECK(c.delay_ms == 2000);
  auto end = policy.next(129000, {1011, 0, true}, true);
  CHECK(end.kind == ReconnectStep::Kind::fail);
  CHECK(end.retryable);
}

TEST_CASE("reconnecting: a refused handle is not used again") {
  ReconnectPolicy policy(kTimes);
  policy.connected(0);
  CHECK(policy.next(0, {1006, 0, false}, true).kind == ReconnectStep::Kind::resume);
  auto next = policy.next(600, {1007, 0, true}, true);
  CHECK(next.kind == ReconnectStep::Kind::fresh);
  CHECK(!next.reduced);
  CHECK(policy.next(700, {1006, 0, true}, true).kind == ReconnectStep::Kind::fresh);
}

TEST_CASE("replacement: goAway is followed at the next quiet moment, 10 s before its time at the latest") {
  ReconnectPolicy policy(kTimes);
  policy.start(0);
  policy.connected(100);
  CHECK_FALSE(policy.replace_due(1000, true));
  CHECK(policy.going_away(1000, 50'000));
  CHECK(policy.replace_due(1000, true));
  CHECK_FALSE(policy.replace_due(40'999, false));
  CHECK(policy.replace_due(41'000, false));
  CHECK_FALSE(policy.going_away(2000, 500'000));  // the first announcement counts
  CHECK(policy.replace_due(41'000, false));
}

TEST_CASE("replacement: half of a short time until goAway is left for a quiet moment") {
  ReconnectPolicy policy(kTimes);
  policy.connected(0);
  CHECK(policy.going_away(1000, 8000));
  CHECK_FALSE(policy.replace_due(4999, false));
  CHECK(policy.replace_due(5000, false));
}

TEST_CASE(
    "replacement: an old connection is replaced at the next quiet moment, within a minute at the latest") {
  constexpr int64_t kOld = 50 * 60'000;
  ReconnectPolicy policy(kTimes);
  policy.connected(0);
  CHECK_FALSE(policy.replace_due(kOld - 1, true));
  CHECK_FALSE(policy.replace_due(kOld, false));
  CHECK(policy.replace_due(kOld + 1, true));
  CHECK_FALSE(policy.replace_due(kOld + 59'999, false));
  CHECK(policy.replace_due(kOld + 60'000, false));
}

TEST_CASE("replacement: the new connection has a whole life") {
  ReconnectPolicy policy(kTimes);
  policy.connected(0);
  CHECK(policy.going_away(0, 50'000));
  auto step = policy.replace(1000, true);
  CHECK(step.kind == ReconnectStep::Kind::resume);
  CHECK(step.delay_ms == 0);
  policy.connected(1100);
  CHECK_FALSE(policy.replace_due(41'000, true));
  CHECK(policy.going_away(1200, 50'000));
  CHECK(policy.replace(2000, false).kind == ReconnectStep::Kind::fresh);
}

TEST_CASE("replacement: the announced end of a connection that is lost does not concern the next one") {
  ReconnectPolicy policy(kTimes);
  policy.connected(0);
  CHECK(policy.going_away(0, 50'000));
  CHECK(policy.next(100, {1011, 0, false}, true).kind == ReconnectStep::Kind::resume);
  policy.connected(700);
  CHECK_FALSE(policy.replace_due(45'000, true));
}

TEST_CASE("replacement: a handle that is refused leads to a fresh session, and not to the end of the call") {
  for (int code : {1007, 1008}) {
    CAPTURE(code);
    ReconnectPolicy policy(kTimes);
    policy.connected(0);
    CHECK(policy.replace(1000, true).kind == ReconnectStep::Kind::resume);
    auto next = policy.next(1100, {code, 0, true}, true);
    CHECK(next.kind == ReconnectStep::Kind::fresh);
    CHECK_FALSE(next.reduced);
  }
}
