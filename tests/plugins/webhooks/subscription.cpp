#include "subscription.h"

#include <doctest/doctest.h>

using namespace patchbay::webhooks;

namespace {

Subscription make(const char* id, const char* tenant, int64_t created_ms) {
  Subscription one;
  one.id = id;
  one.tenant = tenant;
  one.created_ms = created_ms;
  return one;
}

}  // namespace

TEST_CASE("a subscription matches the events it names, or all") {
  Subscription one;
  one.events = {"call.ended", "share.viewed"};
  CHECK(one.wants("call.ended"));
  CHECK_FALSE(one.wants("call.started"));
  one.events = {"*"};
  CHECK(one.wants("call.started"));
}

TEST_CASE("an event is signed with the secret that was current then") {
  Subscription one;
  CHECK(one.secret_at(5) == nullptr);
  one.secrets.push_back({1, 100, "first", nullptr});
  one.secrets.push_back({2, 200, "second", nullptr});
  CHECK(one.secret_at(50)->rev == 1);
  CHECK(one.secret_at(199)->rev == 1);
  CHECK(one.secret_at(200)->rev == 2);
  CHECK(one.secret_of(1)->value == "first");
  CHECK(one.secret_of(3) == nullptr);
}

TEST_CASE("the registry separates tenants") {
  SubscriptionRegistry registry;
  registry.put(make("b", "x.example", 2));
  registry.put(make("a", "x.example", 3));
  registry.put(make("c", "y.example", 1));
  CHECK(registry.find("a", "x.example") != nullptr);
  CHECK(registry.find("a", "y.example") == nullptr);
  REQUIRE(registry.of_tenant("x.example").size() == 2);
  CHECK(registry.of_tenant("x.example")[0]->id == "b");
  CHECK(registry.of_tenant("z.example").empty());
  registry.remove("b");
  CHECK(registry.find("b") == nullptr);
  CHECK(registry.of_tenant("x.example").size() == 1);
  CHECK(registry.all().size() == 2);
}

TEST_CASE("event lists are stored and read unchanged") {
  CHECK(split_events(join_events({"call.ended", "*"})) == std::vector<std::string>{"call.ended", "*"});
  CHECK(split_events("").empty());
}

TEST_CASE("a configured subscription's id depends on tenant and URL") {
  // printf 'a.example.comhttps://b.example.com/x' | sha256sum
  CHECK(subscription_id("a.example.com", "https://b.example.com/x") == "6332f5ffc6e76e3d");
  CHECK(subscription_id("a", "https://b/") != subscription_id("b", "https://b/"));
}
