#include "in_flight_limit.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "webhook_limits.h"

using namespace patchbay::webhooks;

TEST_CASE("the slots of one tenant are limited") {
  InFlightLimit slots;
  for (size_t i = 0; i < kMaxInFlightPerTenant; ++i) {
    CHECK(slots.has_room("a"));
    slots.take("a");
  }
  CHECK_FALSE(slots.has_room("a"));
  CHECK(slots.has_room("b"));
  slots.release("a");
  CHECK(slots.has_room("a"));
}

TEST_CASE("tenants are served round robin, and so are the lanes of a tenant") {
  InFlightLimit slots;
  const size_t tenants = kMaxInFlight / kMaxInFlightPerTenant;
  for (size_t t = 0; t < tenants; ++t)
    for (size_t i = 0; i < kMaxInFlightPerTenant; ++i) slots.take("full" + std::to_string(t));
  for (const char* lane : {"a1", "a2", "a3", "a1"}) slots.wait("a", lane);
  slots.wait("b", "b1");
  slots.wait("full0", "f1");
  CHECK_FALSE(slots.next());
  std::vector<std::string> order;
  for (int i = 0; i < 5; ++i) {
    slots.release("full0");
    if (const auto lane = slots.next()) {
      order.push_back(*lane);
      slots.take(order.back().substr(0, 1));
    }
  }
  CHECK(order == std::vector<std::string>{"a1", "b1", "f1", "a2", "a3"});
  CHECK_FALSE(slots.next());
}

TEST_CASE("a tenant at its limit does not block the others") {
  InFlightLimit slots;
  for (size_t i = 0; i < kMaxInFlightPerTenant; ++i) slots.take("a");
  slots.wait("a", "a1");
  slots.wait("b", "b1");
  CHECK(slots.next() == "b1");
  CHECK_FALSE(slots.next());
  slots.release("a");
  CHECK(slots.next() == "a1");
}
