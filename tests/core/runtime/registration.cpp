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

TEST_CASE("After a close on its strand no callback runs, and done follows") {
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
  REQUIRE(executor.wait_idle(60s));
  CHECK(count == 0);
  CHECK(done);
  CHECK_FALSE(done_inside);
}

TEST_CASE("After a close from elsewhere no callback runs once done was called") {
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
    REQUIRE(executor.wait_idle(60s));
    CHECK(done);
    CHECK(late == 0);
  }
}

TEST_CASE("Done waits for callbacks inside on other threads") {
  Executor executor({2});
  const auto registration = make_ref<Registration>(Strand::create(executor, "test", "r"));
  std::atomic<bool> done{false};
  REQUIRE(registration->enter());
  registration->close(set_closed, &done);
  CHECK_FALSE(registration->enter());
  REQUIRE(executor.wait_idle(60s));
  CHECK_FALSE(done);
  registration->leave();
  REQUIRE(executor.wait_idle(60s));
  CHECK(done);
}

TEST_CASE("Each of several closes calls its done once") {
  Executor executor({2});
  const auto registration = make_ref<Registration>(Strand::create(executor, "test", "r"));
  std::atomic<int> answers{0};
  const auto count = [](void* user) { ++*static_cast<std::atomic<int>*>(user); };
  registration->close(count, &answers);
  registration->close(count, &answers);
  REQUIRE(executor.wait_idle(60s));
  registration->close(count, &answers);
  REQUIRE(executor.wait_idle(60s));
  CHECK(answers == 3);
}

TEST_CASE("Done is called at once when the strand has closed") {
  Executor executor({2});
  const auto strand = Strand::create(executor, "test", "r");
  const auto registration = make_ref<Registration>(strand);
  strand->close(nullptr, nullptr);
  REQUIRE(executor.wait_idle(60s));
  std::atomic<bool> done{false};
  registration->close(set_closed, &done);
  CHECK(done);
}
