#include "outbound/retry_policy.h"

#include <doctest/doctest.h>

using namespace patchbay;
using namespace patchbay::ai_voice;

namespace {

Call with_retries(int64_t retries, int64_t answered_ms = 0) {
  Call out;
  out.retries_left = retries;
  out.retry_delay_minutes = 5;
  out.answered_ms = answered_ms;
  return out;
}

}  // namespace

TEST_CASE("an answered call is never dialled again") {
  const Ending hung_up = Ending::completed("far-hangup");
  CHECK(status_after(with_retries(3, 1000), hung_up) == status::kSuccess);
  const Ending failed = Ending::technical(true, "no media for 20 s");
  CHECK(status_after(with_retries(3, 1000), failed) == status::kFailed);
  CHECK(next_attempt_ms(with_retries(3, 1000), failed, 5000) == 0);
}

TEST_CASE("an unanswered call is dialled again after its delay while retries are left") {
  const Ending busy = Ending::no_answer("busy (486)");
  CHECK(status_after(with_retries(1), busy) == status::kRetryPending);
  CHECK(next_attempt_ms(with_retries(1), busy, 5000) == 5000 + 5 * 60'000);
  CHECK(status_after(with_retries(0), busy) == status::kFailed);
  CHECK(next_attempt_ms(with_retries(0), busy, 5000) == 0);
}

TEST_CASE("a refused or cancelled call is not dialled again") {
  CHECK(status_after(with_retries(3), Ending::refused("the number is not whitelisted")) == status::kFailed);
  CHECK(status_after(with_retries(3), Ending::cancelled()) == status::kCancelled);
  CHECK(next_attempt_ms(with_retries(3), Ending::cancelled(), 5000) == 0);
}
