#include "outbound/attempt_end.h"

#include <doctest/doctest.h>

#include "outbound/call_events.h"

using namespace patchbay;
using namespace patchbay::ai_voice;

namespace {

telephony::Ended leg(const char* cause, int64_t status, const char* detail = "") {
  telephony::Ended out;
  out.cause = cause;
  out.sip_status = status;
  out.detail = detail;
  return out;
}

Call call(int64_t retries) {
  Call out;
  out.call_id = "oac-1";
  out.retries_left = retries;
  out.retry_delay_minutes = 5;
  return out;
}

}  // namespace

TEST_CASE("no answer has a reason, with the SIP status") {
  struct Case {
    int64_t status;
    const char* text;
    bool may_retry;
  };
  for (const Case& each :
       {Case{486, "busy (486)", true}, Case{600, "busy (600)", true}, Case{480, "unreachable (480)", true},
        Case{408, "no response (408)", true}, Case{603, "declined (603)", false},
        Case{607, "not wanted by the callee (607)", false}, Case{608, "rejected by the carrier (608)", false},
        Case{404, "no such number (404)", false}, Case{604, "no such number (604)", false},
        Case{410, "no longer in service (410)", false}, Case{484, "incomplete number (484)", false},
        Case{0, "rang out", true}, Case{487, "rang out", true}}) {
    CAPTURE(each.status);
    const Ending ending = ending_of_leg(leg("no-answer", each.status), false, "");
    CHECK(ending.outcome == "no-answer");
    CHECK(ending.error_detail == each.text);
    CHECK(ending.may_retry == each.may_retry);
    CHECK(ending.sip_status == each.status);
  }
}

TEST_CASE("a final response about the callee is no failure, even if the trunk reports one") {
  const Ending ending = ending_of_leg(leg("failed", 404, "SIP 404 Not Found"), false, "");
  CHECK(ending.error_detail == "no such number (404)");
  CHECK_FALSE(ending.may_retry);
}

TEST_CASE("the detail from telephony is kept, with the failures of earlier trunks") {
  telephony::Ended second = leg("no-answer", 486, "busy (486)");
  second.earlier_trunks = "main: SIP 503 Out of order";
  CHECK(ending_of_leg(second, false, "").error_detail ==
        "busy (486); earlier trunks: main: SIP 503 Out of order");
  CHECK(ending_of_leg(leg("no-answer", 408, "did not answer (408)"), false, "").error_detail ==
        "did not answer (408)");
  CHECK(ending_of_leg(leg("failed", 503, "SIP 503 No"), false, "").error_detail ==
        "the trunk refused the call (503 No)");
  CHECK(ending_of_leg(leg("failed", 401, "SIP 401 Unauthorized: the password is wrong"), false, "")
            .error_detail == "the trunk refused the call (401 Unauthorized: the password is wrong)");
  CHECK(ending_of_leg(leg("failed", 0, "the trunk does not answer"), false, "").error_detail ==
        "the trunk does not answer");
}

TEST_CASE("an answered call ends with the tool's outcome, or the far side hung up") {
  CHECK(ending_of_leg(leg("far", 0), true, "").outcome == "far-hangup");
  CHECK(ending_of_leg(leg("far", 0), true, "finished").outcome == "finished");
  const Ending failed = ending_of_leg(leg("failed", 0, "no media for 20 s"), true, "");
  CHECK(failed.outcome == "far-hangup");
  CHECK(failed.failed);
}

TEST_CASE("the finished event has the attempt and the time of the next one") {
  const Ending busy = ending_of_leg(leg("no-answer", 486), false, "");
  const NewEvent event = outbound_finished(call(2), busy, {}, 0);
  CHECK(event.payload.find(R"("attempt":1,"retriesLeft":2,"nextAttemptUtc":"1970-01-01T00:05:00.000Z"})") !=
        std::string::npos);
  CHECK(event.payload.find(R"("sipStatus":486)") != std::string::npos);
  const NewEvent last = outbound_finished(call(0), busy, {}, 0);
  CHECK(last.payload.find(R"("retriesLeft":0,"nextAttemptUtc":null})") != std::string::npos);
}
