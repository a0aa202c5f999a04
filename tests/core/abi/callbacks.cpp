// Callbacks of a plugin are known by name while they run, as the crash banner prints them.
#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

#include "core/abi/host_harness.h"
#include "runtime/thread_kind.h"

using namespace abi_test;

namespace {

// Each callback notes itself as the crash banner would name it.
class Named {
 public:
  static void note(void* user) noexcept {
    auto& self = *static_cast<Named*>(user);
    std::string name = thread_state.what != nullptr ? thread_state.what : "";
    if (!thread_state.detail.empty()) name += " '" + std::string(thread_state.detail) + "'";
    const char* owner = current_owner();
    const std::lock_guard lock(self.mutex_);
    self.all_.push_back(std::string(owner != nullptr ? owner : "nobody") + ": " + name);
  }
  // Returns "" once it has come, else what came instead.
  std::string lacks(const std::string& name) {
    std::string all;
    const bool came = eventually([&] {
      const std::lock_guard lock(mutex_);
      all.clear();
      for (const std::string& each : all_) all += each + "\n";
      return std::find(all_.begin(), all_.end(), name) != all_.end();
    });
    return came ? "" : all;
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> all_;
};

}  // namespace

TEST_CASE("a callback of a job, a consumer, a watch or an answer is known by name while it runs") {
  Named named;
  HostHarness harness;
  HostContext* one = &*harness.one;
  const pb_services& services = services_table();

  harness.table().job_worker(
      one, to_abi("dial"), 4, 60'000, 0, [](void* user, const pb_job*) noexcept { Named::note(user); },
      &named);
  pb_err err{};
  harness.table().consumer(one, to_abi("digest"), to_abi("note.*"), 0, &Named::note, &named, &err);
  CHECK(named.lacks("one: consumer 'one/digest'") == "");

  const uint64_t tx = harness.table().begin(one);
  harness.table().job_add(one, tx, to_abi("dial"), {}, {}, harness.clock.now_ms(), {});
  harness.table().commit(
      one, tx, 0, [](void* user, const pb_commit*) noexcept { Named::note(user); }, &named);
  CHECK(named.lacks("one: answer") == "");
  CHECK(named.lacks("one: job 'one/dial'") == "");

  const uint64_t watch = services.watch(
      one, to_abi("test.thing/1"), 0, [](void* user, int32_t) noexcept { Named::note(user); }, &named);
  CHECK(named.lacks("one: watch 'test.thing/1'") == "");
  services.unwatch(one, watch, nullptr, nullptr);
  services.watch_end(one, 999'999, 0, &Named::note, &named);  // there is no such handle
  CHECK(named.lacks("one: watch of an end") == "");

  runtime_table().strand_post(one, 0, &Named::note, &named);
  CHECK(named.lacks("one: post") == "");
}
