#include "runtime/worker_pool.h"

#include <doctest/doctest.h>

#include <atomic>
#include <future>

#include "runtime/thread_kind.h"

using namespace patchbay::core;
using namespace std::chrono_literals;

TEST_CASE("Workers run jobs on worker threads in the name of their owner") {
  WorkerPool pool;
  std::atomic<int> right{0};
  for (int i = 0; i < 100; ++i)
    CHECK(pool.submit(
                  "webhooks",
                  [](void* user) {
                    if (thread_kind() == ThreadKind::worker &&
                        std::string_view(current_owner()) == "webhooks")
                      ++*static_cast<std::atomic<int>*>(user);
                  },
                  &right)
              .ok());
  REQUIRE(pool.wait_idle(60s));
  CHECK(right == 100);
}

TEST_CASE("Jobs beyond the queue limit are refused") {
  std::promise<void> release;
  std::shared_future<void> gate = release.get_future().share();
  WorkerPool pool({1, 2, 3});
  const auto wait = [](void* user) { static_cast<std::shared_future<void>*>(user)->wait(); };
  int accepted = 0;
  patchbay::Code code = patchbay::Code::ok;
  for (int i = 0; i < 20 && code == patchbay::Code::ok; ++i) {
    const auto status = pool.submit("test", wait, &gate);
    if (status.ok())
      ++accepted;
    else
      code = status.error().code;
  }
  CHECK(code == patchbay::Code::exhausted);
  CHECK(accepted >= 3);
  CHECK(accepted <= 5);
  release.set_value();
  REQUIRE(pool.wait_idle(60s));
}

TEST_CASE("A pool grows so that blocked jobs do not delay others") {
  WorkerPool pool({1, 8, 64});
  std::atomic<int> inside{0};
  const auto meet = [](void* user) {
    auto& count = *static_cast<std::atomic<int>*>(user);
    ++count;
    const auto deadline = std::chrono::steady_clock::now() + 60s;
    while (count < 8 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  };
  for (int i = 0; i < 8; ++i) CHECK(pool.submit("test", meet, &inside).ok());
  REQUIRE(pool.wait_idle(90s));
  CHECK(inside == 8);
}

TEST_CASE("Stopping runs the queued jobs and refuses more") {
  WorkerPool pool({1, 1, 100});
  std::atomic<int> ran{0};
  const auto count = [](void* user) { ++*static_cast<std::atomic<int>*>(user); };
  for (int i = 0; i < 50; ++i) CHECK(pool.submit("test", count, &ran).ok());
  pool.stop();
  CHECK(ran == 50);
  CHECK(pool.submit("test", count, &ran).error().code == patchbay::Code::gone);
}
