#include "body_budget.h"

#include <doctest/doctest.h>

using patchbay::rest_api::BodyBudget;

namespace {
constexpr size_t kKiB = 1024;
}

TEST_CASE("a body takes of the budget what exceeds the free part, and gives it back") {
  const auto budget = std::make_shared<BodyBudget>(100 * kKiB, 100 * kKiB);
  {
    BodyBudget::Share share(budget, "a");
    CHECK(share.grow_to(BodyBudget::kFree));
    CHECK(budget->held() == 0);
    CHECK(share.grow_to(BodyBudget::kFree + 10));
    CHECK(budget->held() == 10);
    CHECK(share.grow_to(BodyBudget::kFree + 30));
    CHECK(budget->held() == 30);
    BodyBudget::Share moved = std::move(share);
    CHECK(budget->held() == 30);
  }
  CHECK(budget->held() == 0);
}

TEST_CASE("a used up budget refuses large bodies and serves small ones") {
  const auto budget = std::make_shared<BodyBudget>(10 * kKiB, 10 * kKiB);
  BodyBudget::Share large(budget, "a");
  CHECK(large.grow_to(14 * kKiB));
  BodyBudget::Share other(budget, "b");
  CHECK(other.grow_to(4 * kKiB));
  CHECK_FALSE(other.grow_to(4 * kKiB + 1));
  CHECK(budget->held() == 10 * kKiB);
  large = {};
  CHECK(other.grow_to(4 * kKiB + 1));
}

TEST_CASE("one client cannot use up the budget of the others") {
  const auto budget = std::make_shared<BodyBudget>(100 * kKiB, 10 * kKiB);
  BodyBudget::Share first(budget, "a");
  BodyBudget::Share second(budget, "a");
  CHECK(first.grow_to(4 * kKiB + 8 * kKiB));
  CHECK_FALSE(second.grow_to(4 * kKiB + 3 * kKiB));
  BodyBudget::Share other(budget, "b");
  CHECK(other.grow_to(4 * kKiB + 10 * kKiB));
}
