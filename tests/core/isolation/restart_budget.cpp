#include "isolation/restart_budget.h"

#include <doctest/doctest.h>

using patchbay::core::isolation::RestartBudget;

TEST_CASE("a budget allows so many restarts within its time, and then none") {
  RestartBudget budget({3, 600});
  for (int i = 0; i < 3; ++i) CHECK(budget.ended(i * 60'000).has_value());
  CHECK(!budget.ended(200'000).has_value());
  CHECK(!budget.ended(599'999).has_value());
  CHECK(budget.ended(600'001).has_value());  // the first is forgotten
  budget.reset();
  CHECK(budget.ended(600'002).has_value());
}

TEST_CASE("each end within ten seconds of another doubles the wait up to a second, and a pause resets it") {
  RestartBudget budget({100, 600});
  CHECK(budget.ended(0) == 50);
  CHECK(budget.ended(100) == 100);
  CHECK(budget.ended(300) == 200);
  for (int i = 0; i < 5; ++i) budget.ended(1000 + i);
  CHECK(budget.ended(2000) == RestartBudget::kMaxDelayMs);
  CHECK(budget.ended(60'000) == 50);
}

TEST_CASE("a budget of nothing never restarts") {
  RestartBudget budget({0, 600});
  CHECK(!budget.ended(0).has_value());
}
