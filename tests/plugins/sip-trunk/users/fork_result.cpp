#include "users/fork_result.h"

#include <doctest/doctest.h>

#include <string>

#include "legs/hangup_cause.h"

using namespace patchbay::sip_trunk;
using patchbay::telephony::Ended;

namespace {

Ended end_of(int status) { return hangup_cause({EndReason::rejected, status, "", ""}); }
Ended unreachable() { return hangup_cause({EndReason::silence, 0, "", ""}); }
Ended rang_out() { return hangup_cause({EndReason::no_answer, 0, "rang out", ""}); }

}  // namespace

TEST_CASE("a user is busy when all contacts that were reached are") {
  CHECK(fork_result({end_of(486), end_of(486)}).sip_status == 486);
  CHECK(fork_result({end_of(486), end_of(486)}).detail == "busy (486)");
  CHECK(fork_result({unreachable(), end_of(486)}).sip_status == 486);
  CHECK(fork_result({end_of(486), rang_out()}).sip_status == 480);
}

TEST_CASE("a contact that declines for all decides, whatever the others say") {
  CHECK(ends_all_forks(end_of(603)));
  CHECK(ends_all_forks(end_of(600)));
  CHECK_FALSE(ends_all_forks(end_of(486)));
  CHECK_FALSE(ends_all_forks(rang_out()));
  const Ended result = fork_result({end_of(486), end_of(603)});
  CHECK(result.sip_status == 603);
  CHECK(result.cause == "no-answer");
}

TEST_CASE("all other ends are 480") {
  for (const auto& ends :
       {std::vector<Ended>{rang_out()}, {unreachable()}, {end_of(404)}, {end_of(480), end_of(486)}, {}}) {
    const Ended result = fork_result(ends);
    CHECK(result.sip_status == 480);
    CHECK(result.cause == "no-answer");
  }
  CHECK(fork_result({rang_out(), unreachable()}).detail == "rang out");
  CHECK(fork_result({unreachable()}).detail.find("does not answer") != std::string::npos);
}
