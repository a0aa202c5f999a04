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

TEST_CASE("a page of deliveries begins at a position of the index") {
  patchbay::test::QueryPlans plans(WEBHOOKS_SCHEMA);
  const std::string plan = plans.of("deliveries-list");
  INFO(plan);
  CHECK(plan.find("webhooks_delivery_list (subscription=? AND (event_ms,id)<(?,?))") != std::string::npos);
  CHECK(plan.find("TEMP B-TREE") == std::string::npos);
}
