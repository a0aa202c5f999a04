#include "outbound/call_events.h"

#include <doctest/doctest.h>
#include <patchbay/testing/test_environment.h>

using namespace patchbay;
using namespace patchbay::ai_voice;

namespace {

Call retried() {
  Call call;
  call.call_id = "oac-1";
  call.tenant = "acme.example";
  call.attempt = 2;
  call.retries_left = 1;
  call.retry_delay_minutes = 5;
  return call;
}

}  // namespace

TEST_CASE("events have the tenant, subject and correlation id of their call") {
  for (const NewEvent& event : {call_answered(retried(), 900), call_started(retried()),
                                outbound_finished(retried(), Ending::cancelled(), {}, 1000)}) {
    CAPTURE(event.topic);
    CHECK(event.tenant == "acme.example");
    CHECK(event.subject == "oac-1");
    CHECK(event.correlation == "oac-1");
  }
}

TEST_CASE("the end of an attempt has the time of the next one") {
  testing::TestEnvironment environment;
  const auto next = [&](const Ending& ending) {
    const auto payload =
        environment.host().parse_json(outbound_finished(retried(), ending, {3, 4}, 0).payload);
    REQUIRE(payload.ok());
    CHECK(payload->root()["attempt"].integer() == 2);
    CHECK(payload->root()["inputTurns"].integer() == 3);
    CHECK(payload->root()["outputTurns"].integer() == 4);
    return payload->root()["nextAttemptUtc"].is_null()
               ? ""
               : std::string(payload->root()["nextAttemptUtc"].text());
  };
  CHECK(next(Ending::no_answer("busy (486)")) == "1970-01-01T00:05:00.000Z");
  CHECK(next(Ending::refused("not whitelisted")) == "");
  CHECK(finished_key(retried()) == "outbound-ai.finished/oac-1/2");
}
