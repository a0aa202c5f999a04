#include "legs/hangup_cause.h"

#include <doctest/doctest.h>

using namespace patchbay::sip_trunk;

namespace {

DialogEnd rejected(int status, const std::string& text, const std::string& detail = "") {
  return {EndReason::rejected, status, text, detail};
}

}  // namespace

TEST_CASE("calls that the callee did not take have the reason and the SIP status") {
  struct Row {
    int status;
    const char* detail;
  };
  for (const Row& row : {Row{486, "busy (486)"}, Row{600, "busy (600)"}, Row{603, "declined (603)"},
                         Row{480, "unreachable (480)"}, Row{408, "did not answer (408)"}}) {
    const auto ended = hangup_cause(rejected(row.status, "Phrase"));
    CHECK(ended.cause == "no-answer");
    CHECK(ended.detail == row.detail);
    CHECK(ended.sip_status == row.status);
    CHECK(ended.sip_reason == "Phrase");
  }
  CHECK(hangup_cause({EndReason::no_answer, 0, "rang out", ""}).detail == "rang out");
}

TEST_CASE("failures have the trunk's answer and our own reason") {
  const auto ended =
      hangup_cause(rejected(401, "Unauthorized", "the trunk does not accept the username or password"));
  CHECK(ended.cause == "failed");
  CHECK(ended.detail == "SIP 401 Unauthorized: the trunk does not accept the username or password");
  const auto failed = hangup_cause(rejected(503, "No", "Reason Q.850;cause=34"));
  CHECK(failed.detail == "SIP 503 No: Reason Q.850;cause=34");
  CHECK(failed.sip_reason == "No, Reason Q.850;cause=34");
  CHECK(hangup_cause({EndReason::transport, 0, "", "the name x is not resolved: why"}).detail ==
        "the name x is not resolved: why");
  CHECK(hangup_cause({EndReason::lost, 0, "no ACK", ""}).cause == "failed");
}

TEST_CASE("ordinary ends have no detail") {
  CHECK(hangup_cause({EndReason::far_hangup, 0, "", ""}).cause == "far");
  CHECK(hangup_cause({EndReason::local_hangup, 0, "", ""}).cause == "local");
  CHECK(hangup_cause({EndReason::cancelled, 0, "", ""}).detail.empty());
  CHECK(hangup_cause({EndReason::stopped, 0, "", ""}).cause == "failed");
  CHECK(hangup_cause({EndReason::stopped, 0, "", ""}).detail == "interrupted: the server stopped");
}
