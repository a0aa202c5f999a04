#include "http/body_budget.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "http/limits.h"

using namespace std::chrono_literals;
using patchbay::rest_api::BodyBudget;
using patchbay::rest_api::Clock;
using patchbay::rest_api::kFreeBodyOctets;
using patchbay::rest_api::Lag;

namespace {

constexpr size_t kKiB = 1024;
constexpr Clock::time_point kStart{};

std::shared_ptr<BodyBudget> budget_of(size_t most, size_t most_per_client) {
  return std::make_shared<BodyBudget>(most, most_per_client, 5s);
}

// A body that began at kStart, and whether it was dropped.
struct Body {
  Body(const std::shared_ptr<BodyBudget>& budget, const std::string& client, Clock::time_point began = kStart)
      : share(budget, client, began, [this] { dropped = true; }) {
    lag.begin(began);
  }
  // The size beyond the free octets.
  bool takes(size_t octets, Clock::time_point now = kStart) {
    return share.grow_to(kFreeBodyOctets + octets, lag, now);
  }
  Lag lag;
  bool dropped = false;
  BodyBudget::Share share;
};

}  // namespace

TEST_CASE("a body uses the budget beyond its free octets, and releases it") {
  const auto budget = budget_of(100 * kKiB, 100 * kKiB);
  {
    Body body(budget, "a");
    CHECK(body.share.grow_to(kFreeBodyOctets, body.lag, kStart));
    CHECK(budget->held() == 0);
    CHECK(body.takes(10));
    CHECK(budget->held() == 10);
    CHECK(body.takes(30));
    CHECK(budget->held() == 30);
    BodyBudget::Share moved = std::move(body.share);
    CHECK(budget->held() == 30);
  }
  CHECK(budget->held() == 0);
}

TEST_CASE("a used-up budget refuses large bodies and accepts small ones") {
  const auto budget = budget_of(10 * kKiB, 10 * kKiB);
  Body large(budget, "a");
  CHECK(large.takes(10 * kKiB));
  Body other(budget, "b");
  CHECK(other.takes(0));
  CHECK_FALSE(other.takes(1));
  CHECK(budget->held() == 10 * kKiB);
  large.share = {};
  CHECK(other.takes(1));
}

TEST_CASE("one client cannot use up the budget of the others") {
  const auto budget = budget_of(100 * kKiB, 10 * kKiB);
  Body first(budget, "a");
  Body second(budget, "a");
  CHECK(first.takes(8 * kKiB));
  CHECK_FALSE(second.takes(3 * kKiB));
  Body other(budget, "b");
  CHECK(other.takes(10 * kKiB));
}

TEST_CASE("a body that keeps up is not dropped, however old it is, when a minimum lag is set") {
  const auto budget = std::make_shared<BodyBudget>(10 * kKiB, 10 * kKiB, 5s, 5s);
  Body quick(budget, "a"), other(budget, "b");
  CHECK(quick.takes(10 * kKiB));
  quick.lag.take(1000 * kKiB, kStart + 60s);
  quick.share.set_lag(quick.lag);
  CHECK_FALSE(other.takes(kKiB, kStart + 60s));
  CHECK_FALSE(quick.dropped);
  CHECK(other.takes(kKiB, kStart + 66s));  // it has stopped for more than 5 s
  CHECK(quick.dropped);
}

TEST_CASE("many networks of one IPv6 /48 have twice the share of a client") {
  const auto budget = budget_of(100 * kKiB, 10 * kKiB);
  Body first(budget, "2001:db8:0:1::1");
  Body second(budget, "2001:db8:0:2::1");
  Body third(budget, "2001:db8:0:3::1");
  CHECK(first.takes(10 * kKiB));
  CHECK(second.takes(10 * kKiB));
  CHECK_FALSE(third.takes(1));
  Body elsewhere(budget, "2001:db8:1:1::1");
  CHECK(elsewhere.takes(10 * kKiB));
}

TEST_CASE("when the budget is used up the body with the longest lag is dropped, unless it has just begun") {
  const auto budget = budget_of(30 * kKiB, 30 * kKiB);
  Body slow(budget, "a");
  Body slowest(budget, "b");
  Body young(budget, "c", kStart + 4s);
  CHECK(slow.takes(10 * kKiB));
  CHECK(slowest.takes(10 * kKiB));
  slow.lag.take(3 * kKiB, kStart + 4s);
  CHECK(slow.takes(10 * kKiB, kStart + 4s));
  CHECK(young.takes(10 * kKiB, kStart + 4s));
  Body next(budget, "d", kStart + 4s);
  CHECK_FALSE(next.takes(kKiB, kStart + 4s));
  CHECK(next.takes(kKiB, kStart + 6s));
  CHECK(slowest.dropped);
  CHECK_FALSE(slow.dropped);
  CHECK(budget->dropped() == 1);
  CHECK(budget->held() == 21 * kKiB);
  CHECK_FALSE(slowest.takes(11 * kKiB, kStart + 6s));  // its own thread may not know yet
  CHECK_FALSE(slowest.share.complete());
  CHECK(next.takes(15 * kKiB, kStart + 6s));
  CHECK(slow.dropped);
  CHECK_FALSE(young.dropped);
  CHECK_FALSE(next.takes(25 * kKiB, kStart + 6s));
}

TEST_CASE("a complete body is not dropped") {
  const auto budget = budget_of(10 * kKiB, 10 * kKiB);
  Body whole(budget, "a");
  CHECK(whole.takes(10 * kKiB));
  CHECK(whole.share.complete());
  Body next(budget, "b", kStart + 1min);
  CHECK_FALSE(next.takes(1, kStart + 1min));
  CHECK_FALSE(whole.dropped);
}

TEST_CASE("a client at its limit gets room from its own bodies, not from those of others") {
  const auto budget = budget_of(100 * kKiB, 10 * kKiB);
  Body other(budget, "a");
  Body mine(budget, "b");
  CHECK(other.takes(10 * kKiB));
  mine.lag.take(kKiB, kStart + 9s);
  CHECK(mine.takes(10 * kKiB, kStart + 9s));
  Body next(budget, "b", kStart + 9s);
  CHECK(next.takes(10 * kKiB, kStart + 9s));
  CHECK(mine.dropped);
  CHECK_FALSE(other.dropped);
}
