#include "runtime/registration.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "runtime/executor.h"

using namespace patchbay::core;
using namespace std::chrono_literals;

namespace {

void set_closed(void* user) { static_cast<std::atomic<bool>*>(user)->store(true); }

void deliver(const Ref<Registration>& registration, std::atomic<int>& count) {
  registration->strand().post([registration, &count] {
    if (registration->open()) ++count;
  });
}

}  // namespace

TEST_CASE("Closed on its strand nothing of it runs afterwards and done follows") {
  Executor executor({2});
  const auto strand = Strand::create(executor, "test", "r");
  const auto registration = make_ref<Registration>(strand);
  std::atomic<int> count{0};
  std::atomic<bool> done{false};
  bool done_inside = false;
  strand->post([&] {
    deliver(registration, count);
    registration->close(set_closed, &done);
    done_inside = done;
    deliver(registration, count);
  });
  REQUIRE(executor.wait_idle(10s));
  CHECK(count == 0);
  CHECK(done);
  CHECK_FALSE(done_inside);
}

TEST_CASE("Closed from elsewhere nothing of it runs after done") {
  Executor executor({3});
  for (int round = 0; round < 300; ++round) {
    const auto strand = Strand::create(executor, "test", "r");
    const auto registration = make_ref<Registration>(strand);
    std::atomic<int> count{0};
    std::atomic<bool> done{false};
    std::atomic<int> late{0};
    std::thread source([&] {
      for (int i = 0; i < 50; ++i)
        strand->post([&, registration] {
          if (!registration->open()) return;
          ++count;
          if (done) ++late;
        });
    });
    registration->close(set_closed, &done);
    source.join();
    REQUIRE(executor.wait_idle(10s));
    CHECK(done);
    CHECK(late == 0);
  }
}

TEST_CASE("Done waits for those inside on other threads") {
  Executor executor({2});
  const auto registration = make_ref<Registration>(Strand::create(executor, "test", "r"));
  std::atomic<bool> done{false};
  REQUIRE(registration->enter());
  registration->close(set_closed, &done);
  CHECK_FALSE(registration->enter());
  REQUIRE(executor.wait_idle(10s));
  CHECK_FALSE(done);
  registration->leave();
  REQUIRE(executor.wait_idle(10s));
  CHECK(done);
}

TEST_CASE("Each of several closes is answered once") {
  Executor executor({2});
  const auto registration = make_ref<Registration>(Strand::create(executor, "test", "r"));
  std::atomic<int> answers{0};
  const auto count = [](void* user) { ++*static_cast<std::atomic<int>*>(user); };
  registration->close(count, &answers);
  registration->close(count, &answers);
  REQUIRE(executor.wait_idle(10s));
  registration->close(count, &answers);
  REQUIRE(executor.wait_idle(10s));
  CHECK(answers == 3);
}

TEST_CASE("Done comes at once when the strand is closed for good") {
  Executor executor({2});
  const auto strand = Strand::create(executor, "test", "r");
  const auto registration = make_ref<Registration>(strand);
  strand->close(nullptr, nullptr);
  REQUIRE(executor.wait_idle(10s));
  std::atomic<bool> done{false};
  registration->close(set_closed, &done);
  CHECK(done);
}
