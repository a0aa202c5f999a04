#include "services/service_registry.h"

#include <doctest/doctest.h>

#include <future>
#include <string>
#include <thread>
#include <vector>

#include "runtime/executor.h"

namespace {

using namespace patchbay::core;

constexpr std::string_view kId = "test.thing/1";
const pb_interface kThing{sizeof(pb_interface), 0, {kId.data(), kId.size()}, nullptr};

Ref<Instance> instance_on(const Ref<Strand>& strand) {
  return make_ref<Instance>(strand, InstanceInit{"provider", &kThing, true, nullptr, nullptr});
}

struct Reports {
  std::vector<int32_t> all;
  static void add(void* self, int32_t up) noexcept { static_cast<Reports*>(self)->all.push_back(up); }
};

}  // namespace

TEST_CASE("a watch reports the state when its strand runs, and then each change once") {
  Executor executor;
  ServiceRegistry registry;
  const auto strand = Strand::create(executor, "watcher", "main");
  Reports reports;
  std::promise<void> release;
  strand->post([held = release.get_future().share()] { held.wait(); });
  const uint64_t watch =
      registry.watch(make_ref<ProviderWatch>(strand, std::string(kId), &Reports::add, &reports));
  const uint64_t first = *registry.provide(instance_on(strand));
  CHECK(registry.withdraw(first, nullptr, nullptr));
  release.set_value();
  REQUIRE(executor.wait_idle(std::chrono::seconds(60)));
  CHECK(reports.all == std::vector<int32_t>{0});

  SUBCASE("replacing the provider counts as a change") {
    const uint64_t second = *registry.provide(instance_on(strand));
    REQUIRE(executor.wait_idle(std::chrono::seconds(60)));
    std::promise<void> again;
    strand->post([held = again.get_future().share()] { held.wait(); });
    CHECK(registry.withdraw(second, nullptr, nullptr));
    const uint64_t third = *registry.provide(instance_on(strand));
    again.set_value();
    REQUIRE(executor.wait_idle(std::chrono::seconds(60)));
    CHECK(reports.all == std::vector<int32_t>{0, 1, 0, 1});
    CHECK(registry.withdraw(third, nullptr, nullptr));
  }
  CHECK(registry.unwatch(watch, nullptr, nullptr));
  REQUIRE(executor.wait_idle(std::chrono::seconds(60)));
}

TEST_CASE("the last report of a watch is the current state, even if providers change concurrently") {
  Executor executor;
  const auto providing = Strand::create(executor, "provider", "main");
  const auto watching = Strand::create(executor, "watcher", "main");
  int wrong = 0;
  for (int round = 0; round < 3000; ++round) {
    ServiceRegistry registry;
    Reports reports;
    const uint64_t early = round % 2 == 0 ? *registry.provide(instance_on(providing)) : 0;
    uint64_t late = 0;
    std::thread other([&] {
      if (early != 0)
        registry.withdraw(early, nullptr, nullptr);
      else
        late = *registry.provide(instance_on(providing));
    });
    const uint64_t watch =
        registry.watch(make_ref<ProviderWatch>(watching, std::string(kId), &Reports::add, &reports));
    other.join();
    REQUIRE(executor.wait_idle(std::chrono::seconds(60)));
    if (reports.all.empty() || (reports.all.back() != 0) != (late != 0)) ++wrong;
    registry.unwatch(watch, nullptr, nullptr);
    if (late != 0) registry.withdraw(late, nullptr, nullptr);
    REQUIRE(executor.wait_idle(std::chrono::seconds(60)));
  }
  CHECK(wrong == 0);
}
