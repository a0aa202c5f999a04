#include "delivery_outcome.h"

#include <doctest/doctest.h>

#include "retry_schedule.h"
#include "webhook_limits.h"

using namespace patchbay::webhooks;

namespace {

Attempt ended(int64_t number, int64_t status, int64_t started_ms = 0) {
  Attempt attempt;
  attempt.number = number;
  attempt.started_ms = started_ms;
  attempt.outcome.status = status;
  attempt.outcome.delivered = status >= 200 && status <= 299;
  return attempt;
}

}  // namespace

TEST_CASE("a 2xx delivers at any attempt") {
  for (int number = 1; number <= kMaxAttempts; ++number)
    CHECK(judge(ended(number, 204)).state == DeliveryState::delivered);
}

TEST_CASE("every failure is retried when the schedule says, also a 4xx and one without a response") {
  for (const int64_t status : {0, 301, 400, 404, 410, 429, 500, 503}) {
    CAPTURE(status);
    for (int number = 1; number < kMaxAttempts; ++number) {
      const Verdict verdict = judge(ended(number, status));
      CHECK(verdict.state == DeliveryState::pending);
      CHECK(verdict.next_attempt_ms == next_attempt_ms(number, 0, 0));
    }
    CHECK(judge(ended(kMaxAttempts, status)).state == DeliveryState::failed);
  }
}

TEST_CASE("an attempt that began late delays the retry as much") {
  const int64_t late_ms = 10 * kRequestTimeoutMs;
  CHECK(judge(ended(1, 500, late_ms)).next_attempt_ms == late_ms + 5'000);
}
