// The cost of a sweep must not grow with the number of kept deliveries.
#include "support/table_scan_check.h"

TEST_CASE("the sweep of bodies reads only those that are old enough") {
  patchbay::test::QueryPlans plans(WEBHOOKS_SCHEMA);
  for (const char* name :
       {"sweep-bodies", "sweep-done", "deliveries-pending", "body", "deliveries-list", "delivery-resend"}) {
    const std::string plan = plans.of(name);
    INFO(plan);
    CHECK(plan.find("SEARCH") != std::string::npos);
    CHECK(plan.find("SCAN") == std::string::npos);
  }
  CHECK(plans.of("sweep-bodies").find("webhooks_body_age") != std::string::npos);
}
