#include "abi/job_pump.h"

#include "core/abi/rig.h"

using namespace abi_test;

namespace {

struct Claims {
  std::mutex mutex;
  std::vector<int64_t> due;
  static void note(void* user, const pb_job* job) noexcept {
    auto& self = *static_cast<Claims*>(user);
    const std::lock_guard lock(self.mutex);
    self.due.push_back(job->due_ms);
  }
  size_t count() {
    const std::lock_guard lock(mutex);
    return due.size();
  }
};

}  // namespace

TEST_CASE("a pump sleeps until the next job is due, and wakes for an earlier one") {
  Rig rig;
  Claims claims;
  CHECK(rig.table().job_worker(&*rig.one, to_abi("dial"), 4, 60'000, 0, &Claims::note, &claims) != 0);
  const int64_t now_ms = rig.clock.now_ms();
  const auto add = [&](int64_t due_ms) {
    const uint64_t tx = rig.table().begin(&*rig.one);
    rig.table().job_add(&*rig.one, tx, to_abi("dial"), {}, {}, due_ms, {});
    CHECK(rig.commit(*rig.one, tx).status == PB_OK);
  };
  add(now_ms + 50'000);
  add(now_ms + 20'000);
  CHECK(claims.count() == 0);
  // The claim may lag behind the clock, so the clock stops before the other job is due.
  CHECK(eventually([&] {
    if (claims.count() == 0 && rig.clock.now_ms() < now_ms + 40'000)
      rig.clock.advance(std::chrono::seconds(1));
    return claims.count() == 1;
  }));
  CHECK(claims.due.front() == now_ms + 20'000);
  CHECK(eventually([&] {
    if (claims.count() == 1) rig.clock.advance(std::chrono::seconds(1));
    return claims.count() == 2;
  }));
}
