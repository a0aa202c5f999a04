#include "abi/consumer.h"

#include "core/abi/rig.h"

using namespace abi_test;

TEST_CASE("a consumer that the store refused is registered later, and woken only then") {
  StoreOptions options;
  options.max_queued = 1;
  Rig rig(std::move(options));
  std::promise<void> blocked, go_on;
  Transaction tx;
  tx.exec(*rig.store().statement("one", "add"), {1, "x"}, 1);
  rig.store().commit(tx, [&](CommitResult) {
    blocked.set_value();
    go_on.get_future().wait_for(std::chrono::seconds(60));
  });
  blocked.get_future().wait();
  rig.store().commit({}, [](CommitResult) {});  // the queue is full now

  std::atomic<int> woken{0};
  pb_err err{};
  const uint64_t handle = rig.table().consumer(
      &*rig.one, to_abi("digest"), to_abi("note.*"), 0,
      [](void* user) noexcept { ++*static_cast<std::atomic<int>*>(user); }, &woken, &err);
  CHECK(handle != 0);
  CHECK(eventually([&] { return rig.log_text().find("could not be registered") != std::string::npos; }));
  CHECK(woken == 0);
  go_on.set_value();
  CHECK(eventually([&] { return rig.store().stats().queued == 0; }));
  CHECK(eventually([&] {
    rig.clock.advance(std::chrono::seconds(1));
    return woken > 0;
  }));
  REQUIRE(commit(rig.store(), one(event("note.added", "s"))).status.ok());
  CHECK(pending(rig.store(), "one/digest").size() == 1);
}
