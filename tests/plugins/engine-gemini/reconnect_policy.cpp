#include "reconnect_policy.h"

#include <doctest/doctest.h>

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
  policy.connected();
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
  policy.connected();
  CHECK(policy.next(0, {1006, 0, false}, true).kind == ReconnectStep::Kind::resume);
  auto next = policy.next(600, {1007, 0, true}, true);
  CHECK(next.kind == ReconnectStep::Kind::fresh);
  CHECK(!next.reduced);
  CHECK(policy.next(700, {1006, 0, true}, true).kind == ReconnectStep::Kind::fresh);
}
