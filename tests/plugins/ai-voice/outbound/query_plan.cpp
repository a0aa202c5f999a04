// What a request costs must not grow with the calls that have ended: no statement of a request scans them.
#include <string>

#include "support/query_plans.h"

namespace {

struct Plans : patchbay::test::QueryPlans {
  Plans() : QueryPlans(AI_VOICE_SCHEMA) {}
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("no statement of a request scans the calls, and each list comes from an index in its order") {
  Plans plans;
  for (const char* name :
       {"get", "list", "list_status", "list_count", "waiting_count", "orphans", "claim", "answered", "finish",
        "cancel_waiting", "count_before", "count_after", "find_idempotent_reply", "update_idempotent_reply",
        "delete_idempotent_reply", "delete_old_idempotent_replies", "remove_old"}) {
    CAPTURE(name);
    const std::string plan = plans.of(name);
    INFO(plan);
    CHECK_FALSE(plan.empty());
    CHECK_FALSE(contains(plan, "SCAN ai_voice_"));
  }
  CHECK_FALSE(contains(plans.of("list"), "TEMP B-TREE"));
}

TEST_CASE("the waiting calls are counted in an index of the tenant and the status alone") {
  Plans plans;
  const std::string plan = plans.of("waiting_count");
  INFO(plan);
  CHECK(contains(plan, "COVERING INDEX ai_voice_call_status (tenant=? AND status=?"));
  const std::string list = plans.of("list_status");
  INFO(list);
  CHECK(contains(list, "ai_voice_call_status (tenant=? AND status=?)"));
  CHECK(contains(plans.of("orphans"), "ai_voice_call_running"));
  CHECK(contains(plans.of("remove_old"), "ai_voice_call_ended"));
}
