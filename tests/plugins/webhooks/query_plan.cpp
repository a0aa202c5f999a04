// What the sweeps do each minute must not grow with the deliveries that are kept.
#include "support/query_plans.h"

TEST_CASE("the sweep of bodies looks only at those that are old enough") {
  patchbay::test::QueryPlans plans(WEBHOOKS_SCHEMA);
  for (const char* name :
       {"sweep-bodies", "sweep-done", "deliveries-pending", "deliveries-list", "delivery-resend"}) {
    const std::string plan = plans.of(name);
    INFO(plan);
    CHECK(plan.find("SEARCH") != std::string::npos);
    CHECK(plan.find("SCAN") == std::string::npos);
  }
  CHECK(plans.of("sweep-bodies").find("webhooks_body_age") != std::string::npos);
}
