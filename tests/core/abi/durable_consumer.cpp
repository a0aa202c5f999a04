#include "abi/durable_consumer.h"

#include "abi/limits.h"
#include "core/abi/host_harness.h"

using namespace abi_test;

TEST_CASE("a consumer that the store refused is registered later, and woken only then") {
  StoreOptions options;
  options.max_queued = 1;
  HostHarness harness(std::move(options));
  std::promise<void> blocked, go_on;
  Transaction tx;
  tx.exec(*harness.store().statement("one", "add"), {1, "x"}, 1);
  harness.store().commit(tx, [&](CommitResult) {
    blocked.set_value();
    go_on.get_future().wait_for(std::chrono::seconds(60));
  });
  blocked.get_future().wait();
  harness.store().commit({}, [](CommitResult) {});  // the queue is full now

  std::atomic<int> woken{0};
  pb_err err{};
  const uint64_t handle = harness.table().consumer(
      &*harness.one, to_abi("digest"), to_abi("note.*"), 0,
      [](void* user) noexcept { ++*static_cast<std::atomic<int>*>(user); }, &woken, &err);
  CHECK(handle != 0);
  CHECK(eventually([&] { return harness.log_text().find("could not be registered") != std::string::npos; }));
  CHECK(woken == 0);
  go_on.set_value();
  CHECK(eventually([&] { return harness.store().stats().queued == 0; }));
  CHECK(eventually([&] {
    harness.clock.advance(std::chrono::seconds(1));
    return woken > 0;
  }));
  REQUIRE(commit(harness.store(), one(event("note.added", "s"))).status.ok());
  CHECK(pending(harness.store(), "one/digest").size() == 1);
}

TEST_CASE("a plugin has a limited number of consumers, because each event is stored for each of them") {
  HostHarness harness;
  const auto consumer = [&](size_t number) {
    pb_err err = empty_error();
    const std::string name = "digest" + std::to_string(number);
    const uint64_t handle = harness.table().consumer(
        &*harness.one, to_abi(name), to_abi("note.*"), 0, [](void*) noexcept {}, nullptr, &err);
    return handle != 0 ? PB_OK : err.code;
  };
  for (size_t i = 0; i < kMaxConsumers; ++i) CHECK(consumer(i) == PB_OK);
  CHECK(consumer(kMaxConsumers) == PB_E_EXHAUSTED);
}
