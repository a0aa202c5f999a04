// The cost of a request must not grow with the number of ended calls: no statement of a request scans them.
#include <string>

#include "support/table_scan_check.h"

namespace {

struct Plans : patchbay::test::QueryPlans {
  Plans() : QueryPlans(AI_VOICE_SCHEMA) {}
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("no statement of a request scans the calls, and each list is read from an index in its order") {
  Plans plans;
  for (const char* name : {"get",
                           "list",
                           "list_status",
                           "list_count",
                           "waiting_count",
                           "orphans",
                           "owned",
                           "check_slot",
                           "set_waits_for",
                           "claim",
                           "set_answered",
                           "end_attempt",
                           "cancel_waiting",
                           "decrement_count",
                           "increment_count",
                           "find_idempotent_reply",
                           "update_idempotent_reply",
                           "delete_idempotent_reply",
                           "delete_old_idempotent_replies",
                           "delete_old_calls"}) {
    CAPTURE(name);
    const std::string plan = plans.of(name);
    INFO(plan);
    CHECK_FALSE(plan.empty());
    CHECK_FALSE(contains(plan, "SCAN ai_voice_"));
  }
  CHECK_FALSE(contains(plans.of("list"), "TEMP B-TREE"));
  CHECK(contains(plans.of("list"), "ai_voice_call_list (tenant=? AND (created_ms,call_id)<(?,?))"));
}

TEST_CASE("waiting calls are counted from an index of tenant and status alone") {
  Plans plans;
  const std::string plan = plans.of("waiting_count");
  INFO(plan);
  CHECK(contains(plan, "COVERING INDEX ai_voice_call_status (tenant=? AND status=?"));
  const std::string list = plans.of("list_status");
  INFO(list);
  CHECK(contains(list, "ai_voice_call_status (tenant=? AND status=? AND (created_ms,call_id)<(?,?))"));
  CHECK(contains(plans.of("orphans"), "ai_voice_call_running"));
  CHECK(contains(plans.of("delete_old_calls"), "ai_voice_call_ended"));
}
