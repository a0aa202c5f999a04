#include "runtime/executor.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <thread>
#include <vector>

#include "runtime/limits.h"
#include "runtime/strand.h"
#include "support/within.h"

namespace {

using namespace patchbay::core;
using namespace std::chrono_literals;

ExecutorOptions watched() {
  ExecutorOptions options;
  options.threads = 2;
  options.stall_ms = 8;
  options.on_stall = [](void*, const StallReport&) {};
  return options;
}

}  // namespace

TEST_CASE("An owner whose strands block leaves threads to others, and its spare threads exit afterwards") {
  Executor executor(watched());
  std::promise<void> release;
  const auto held = release.get_future().share();
  std::vector<Ref<Strand>> blocked;
  std::atomic<int> entered{0};
  for (int i = 0; i < 100; ++i) {
    blocked.push_back(Strand::create(executor, "blocks", "call"));
    blocked.back()->post([&entered, held] {
      ++entered;
      held.wait();
    });
  }
  // The limit per owner is reached and not exceeded.
  REQUIRE(within(60s, [&] {
    const auto stats = executor.owner_stats();
    return stats.size() == 1 && stats[0].stalled == 8;
  }));
  const auto other = Strand::create(executor, "serves", "main");
  std::atomic<int> served{0};
  for (int i = 0; i < 100; ++i) other->post([&served] { ++served; });
  CHECK(within(60s, [&] { return served == 100; }));
  CHECK(entered < 100);
  CHECK(executor.threads_alive() <= 18);  // as many again for the other, should it be slow at times

  release.set_value();
  REQUIRE(executor.wait_idle(60s));
  CHECK(entered == 100);
  CHECK(within(60s, [&] { return executor.threads_alive() == 2; }));
  for (const auto& owner : executor.owner_stats()) CHECK(owner.stalled == 0);

  // It may occupy all threads again.
  blocked.clear();
  entered = 0;
  std::promise<void> again;
  const auto held_again = again.get_future().share();
  for (int i = 0; i < 2; ++i) {
    blocked.push_back(Strand::create(executor, "blocks", "call"));
    blocked.back()->post([&entered, held_again] {
      ++entered;
      held_again.wait();
    });
  }
  CHECK(within(60s, [&] { return entered == 2; }));
  again.set_value();
  CHECK(executor.wait_idle(60s));
}

TEST_CASE("What a task posts to other strands runs although the task then blocks") {
  Executor executor(watched());
  const auto blocks = Strand::create(executor, "blocks", "main");
  const auto other = Strand::create(executor, "serves", "main");
  std::promise<void> served;
  std::atomic<bool> waited{false};
  blocks->post([&] {
    other->post([&served] { served.set_value(); });
    waited = served.get_future().wait_for(60s) == std::future_status::ready;
  });
  REQUIRE(executor.wait_idle(120s));
  CHECK(waited);
}

TEST_CASE("A strand with many tasks does not delay the strands that they make ready") {
  Executor executor({2});
  const auto busy = Strand::create(executor, "test", "busy");
  const auto other = Strand::create(executor, "test", "other");
  std::promise<void> served;
  std::atomic<bool> waited{false};
  busy->post([&] {
    // Two tasks of one turn: the second waits for what the first has posted.
    busy->post([&] { other->post([&served] { served.set_value(); }); });
    busy->post([&] { waited = served.get_future().wait_for(60s) == std::future_status::ready; });
  });
  REQUIRE(executor.wait_idle(120s));
  CHECK(waited);
}

TEST_CASE("A plugin's waiting calls are limited, over all its strands together") {
  Executor executor({2});
  const auto strand = Strand::create(executor, "floods", "one");
  const auto second = Strand::create(executor, "floods", "two");
  const auto other = Strand::create(executor, "other", "main");
  std::promise<void> release;
  strand->post([held = release.get_future().share()] { held.wait(); });
  static std::atomic<int64_t> ran{0};
  ran = 0;
  const CallFn count = [](void*) { ++ran; };
  int64_t accepted = 0;
  while (strand->post_bounded(count, nullptr) == patchbay::Code::ok) ++accepted;
  CHECK(accepted == kMaxWaitingPosts);
  CHECK(strand->post_bounded(count, nullptr) == patchbay::Code::exhausted);
  CHECK(second->post_bounded(count, nullptr) == patchbay::Code::exhausted);
  CHECK(other->post_bounded(count, nullptr) == patchbay::Code::ok);
  release.set_value();
  REQUIRE(executor.wait_idle(60s));
  CHECK(ran == accepted + 1);
  CHECK(second->post_bounded(count, nullptr) == patchbay::Code::ok);
  REQUIRE(executor.wait_idle(60s));
  strand->close(nullptr, nullptr);
  CHECK(strand->post_bounded(count, nullptr) == patchbay::Code::gone);
}
