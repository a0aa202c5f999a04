#include "in_flight_limit.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "webhook_limits.h"

using namespace patchbay::webhooks;

TEST_CASE("the slots of one tenant are limited") {
  InFlightLimit slots;
  for (size_t i = 0; i < kMaxInFlightPerTenant; ++i) {
    CHECK(slots.has_room("a", SlotKind::quick));
    slots.take("a", true);
  }
  CHECK_FALSE(slots.has_room("a", SlotKind::quick));
  CHECK(slots.has_room("b", SlotKind::quick));
  slots.release("a", true);
  CHECK(slots.has_room("a", SlotKind::quick));
}

TEST_CASE("tenants are served round robin, and so are the lanes of a tenant") {
  InFlightLimit slots;
  const size_t tenants = kMaxInFlight / kMaxInFlightPerTenant;
  for (size_t t = 0; t < tenants; ++t)
    for (size_t i = 0; i < kMaxInFlightPerTenant; ++i) slots.take("full" + std::to_string(t), true);
  for (const char* lane : {"a1", "a2", "a3", "a1"}) slots.wait("a", lane, SlotKind::quick);
  slots.wait("b", "b1", SlotKind::quick);
  slots.wait("full0", "f1", SlotKind::quick);
  CHECK_FALSE(slots.next());
  std::vector<std::string> order;
  for (int i = 0; i < 5; ++i) {
    slots.release("full0", true);
    if (const auto lane = slots.next()) {
      order.push_back(*lane);
      slots.take(order.back().substr(0, 1), true);
    }
  }
  CHECK(order == std::vector<std::string>{"a1", "b1", "f1", "a2", "a3"});
  CHECK_FALSE(slots.next());
}

TEST_CASE("a tenant at its limit does not block the others") {
  InFlightLimit slots;
  for (size_t i = 0; i < kMaxInFlightPerTenant; ++i) slots.take("a", true);
  slots.wait("a", "a1", SlotKind::quick);
  slots.wait("b", "b1", SlotKind::quick);
  CHECK(slots.next() == "b1");
  CHECK_FALSE(slots.next());
  slots.release("a", true);
  CHECK(slots.next() == "a1");
}

TEST_CASE("receivers that are not quick leave slots of their tenant, and of all, to those that are") {
  InFlightLimit slots;
  for (size_t i = 0; i < kMaxFurtherUnprovenPerTenant; ++i) slots.take("a", false);
  CHECK_FALSE(slots.has_room("a", SlotKind::further));
  CHECK(slots.has_room("a", SlotKind::first));
  while (slots.has_room("a", SlotKind::first)) slots.take("a", false);
  CHECK(slots.used() == kMaxUnprovenPerTenant);
  CHECK(slots.has_room("a", SlotKind::quick));
  for (int tenant = 0; slots.used() < kMaxUnprovenInFlight; ++tenant)
    while (slots.has_room(std::to_string(tenant), SlotKind::first)) slots.take(std::to_string(tenant), false);
  CHECK_FALSE(slots.has_room("z", SlotKind::first));
  CHECK(slots.has_room("z", SlotKind::quick));
}

TEST_CASE("a waiting lane gets the place of its latest kind") {
  InFlightLimit slots;
  while (slots.has_room("a", SlotKind::first)) slots.take("a", false);
  slots.wait("a", "further", SlotKind::further);
  slots.wait("a", "first", SlotKind::first);
  slots.wait("a", "changed", SlotKind::further);
  slots.wait("a", "changed", SlotKind::quick);
  CHECK(slots.next() == "changed");
  CHECK_FALSE(slots.next());
  slots.release("a", false);
  CHECK(slots.next() == "first");
  CHECK_FALSE(slots.next());  // "further" waits until there are fewer
  for (size_t i = kMaxFurtherUnprovenPerTenant; i <= kMaxUnprovenPerTenant; ++i) {
    if (slots.used() >= kMaxFurtherUnprovenPerTenant) slots.release("a", false);
  }
  CHECK(slots.next() == "further");
}
