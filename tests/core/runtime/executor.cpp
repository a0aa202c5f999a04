#include "runtime/executor.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "runtime/clock.h"
#include "runtime/limits.h"
#include "runtime/strand.h"
#include "runtime/thread_kind.h"
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

namespace {

// A call whose task ends with the test.
struct Step : Task {
  explicit Step(std::function<void()> f)
      : Task([](Task& task) noexcept { static_cast<Step&>(task).run_it(); }), run_it(std::move(f)) {}
  std::function<void()> run_it;
};

}  // namespace

TEST_CASE("A guest runs an idle strand, and then each strand that this makes ready, on its own thread") {
  Executor executor({2});
  const auto first = Strand::create(executor, "asks", "main");
  const auto second = Strand::create(executor, "answers", "main");
  const auto guest = std::this_thread::get_id();
  std::vector<const Strand*> ran;
  const auto note = [&] {
    CHECK(std::this_thread::get_id() == guest);
    CHECK(thread_kind() == ThreadKind::strand);
    ran.push_back(Strand::current());
  };
  Step step([&] {
    note();
    second->post([&] {
      note();
      first->post(note);
    });
    CHECK(ran.size() == 1);  // a strand's turn ends before the next one's begins
  });
  CHECK(executor.run_here(*first, step));
  CHECK(ran == std::vector<const Strand*>{first.get(), second.get(), first.get()});
  CHECK(thread_kind() == ThreadKind::other);
  CHECK(Strand::current() == nullptr);
  CHECK(executor.idle());
}

TEST_CASE("A guest leaves a strand that another thread runs to that thread") {
  Executor executor({2});
  const auto strand = Strand::create(executor, "serves", "main");
  std::promise<void> entered, release;
  strand->post([&] {
    entered.set_value();
    release.get_future().wait();
  });
  entered.get_future().wait();
  std::thread::id ran_on;
  Step step([&] { ran_on = std::this_thread::get_id(); });
  CHECK(executor.run_here(*strand, step));
  release.set_value();
  REQUIRE(executor.wait_idle(60s));
  CHECK(ran_on != std::thread::id());
  CHECK(ran_on != std::this_thread::get_id());
}

TEST_CASE("On a strand, run_here only queues the task") {
  Executor executor({2});
  const auto outer = Strand::create(executor, "asks", "main");
  const auto inner = Strand::create(executor, "answers", "main");
  std::atomic<bool> ran{false};
  Step step([&] { ran = true; });
  outer->post([&] {
    CHECK(executor.run_here(*inner, step));
    CHECK_FALSE(ran);
  });
  CHECK(within(60s, [&] { return ran.load(); }));
  CHECK(executor.wait_idle(60s));
}

TEST_CASE("Work between two turns runs on the guest while the strand is free") {
  Executor executor({2});
  const auto strand = Strand::create(executor, "asks", "main");
  std::vector<std::string> order;
  Step work([&] {
    CHECK(Strand::current() == nullptr);
    order.emplace_back("work");
    strand->post([&] { order.emplace_back("answer"); });
  });
  Step step([&] {
    CHECK(executor.run_between_turns(work));
    order.emplace_back("task");
  });
  CHECK(executor.run_here(*strand, step));
  CHECK(order == std::vector<std::string>{"task", "work", "answer"});
  CHECK_FALSE(executor.run_between_turns(work));  // not on a guest any more
}

TEST_CASE("When a guest hangs in a turn, another thread runs the strand that waits for it") {
  ExecutorOptions options = watched();
  options.watchdog_thread = false;
  Executor executor(options);
  const auto hangs = Strand::create(executor, "hangs", "main");
  const auto waits = Strand::create(executor, "waits", "main");
  std::promise<void> release;
  std::atomic<bool> entered{false};
  Step step([&] {
    waits->post([&] { release.set_value(); });
    entered = true;
    release.get_future().wait();
  });
  std::thread guest([&] { executor.run_here(*hangs, step); });
  REQUIRE(within(60s, [&] { return entered.load(); }));
  const int64_t now_ns = system_mono_clock().now_ns();
  executor.watchdog()->check(now_ns);
  executor.watchdog()->check(now_ns + 20'000'000);
  guest.join();
  CHECK(executor.wait_idle(60s));
  for (const auto& owner : executor.owner_stats()) CHECK(owner.stalled == 0);
  CHECK(executor.threads_alive() == 2);  // the guest is not replaced
}

TEST_CASE("A guest returns to its own work although others keep its strand busy") {
  Executor executor({2});
  const auto strand = Strand::create(executor, "busy", "main");
  const auto other = Strand::create(executor, "busy", "other");
  std::atomic<bool> stop{false};
  std::function<void()> again = [&] {
    if (!stop) other->post([&] { strand->post(again); });
  };
  Step step(again);
  CHECK(executor.run_here(*strand, step));  // executor threads go on
  stop = true;
  CHECK(executor.wait_idle(60s));
}

TEST_CASE(
    "What becomes ready while a guest hangs runs on another thread, also after the guest was given up on") {
  ExecutorOptions options = watched();
  options.watchdog_thread = false;
  Executor executor(options);
  const auto hangs = Strand::create(executor, "hangs", "main");
  const auto waits = Strand::create(executor, "waits", "main");
  std::promise<void> given_up, release;
  std::atomic<bool> entered{false}, posted{false}, waited{false};
  Step step([&] {
    entered = true;
    given_up.get_future().wait();
    waits->post([&] { release.set_value(); });
    posted = true;
    waited = release.get_future().wait_for(60s) == std::future_status::ready;
  });
  std::thread guest([&] { executor.run_here(*hangs, step); });
  CHECK(within(60s, [&] { return entered.load(); }));
  const int64_t now_ns = system_mono_clock().now_ns();
  executor.watchdog()->check(now_ns);
  executor.watchdog()->check(now_ns + 20'000'000);
  given_up.set_value();
  CHECK(within(60s, [&] { return posted.load(); }));
  executor.watchdog()->check(now_ns + 21'000'000);
  guest.join();
  CHECK(waited);
  CHECK(executor.wait_idle(60s));
}

TEST_CASE("Work between a guest's turns does not delay the strand that the turn made ready") {
  Executor executor({2});
  const auto strand = Strand::create(executor, "asks", "main");
  const auto other = Strand::create(executor, "serves", "main");
  std::promise<void> served;
  bool waited = false;
  Step work([&] { waited = served.get_future().wait_for(60s) == std::future_status::ready; });
  Step step([&] {
    CHECK(executor.run_between_turns(work));
    other->post([&served] { served.set_value(); });
  });
  CHECK(executor.run_here(*strand, step));
  CHECK(executor.wait_idle(60s));
  CHECK(waited);
}

TEST_CASE("A call for executor threads does not run on a guest, which leaves the strand to them") {
  Executor executor({2});
  const auto strand = Strand::create(executor, "stops", "main");
  const auto guest = std::this_thread::get_id();
  std::vector<std::string> order;
  Step step([&] {
    CHECK(std::this_thread::get_id() == guest);
    order.emplace_back("guest's");
    CHECK(strand->post_to_executor([&] {
      CHECK(std::this_thread::get_id() != guest);
      order.emplace_back("executor's");
    }));
    strand->post([&] { order.emplace_back("later"); });
  });
  CHECK(executor.run_here(*strand, step));
  REQUIRE(executor.wait_idle(60s));
  CHECK(order == std::vector<std::string>{"guest's", "executor's", "later"});
  std::thread::id ran_on;
  Step again([&] { ran_on = std::this_thread::get_id(); });
  CHECK(executor.run_here(*strand, again));
  CHECK(ran_on == guest);
}

TEST_CASE("A guest gives turns away while another strand of their owner hangs") {
  ExecutorOptions options = watched();
  options.watchdog_thread = false;
  Executor executor(options);
  const auto hangs = Strand::create(executor, "hangs", "main");
  const auto sibling = Strand::create(executor, "hangs", "other");
  std::promise<void> release;
  std::atomic<bool> entered{false};
  Step hang([&] {
    entered = true;
    release.get_future().wait();
  });
  std::thread guest([&] { executor.run_here(*hangs, hang); });
  CHECK(within(60s, [&] { return entered.load(); }));
  const int64_t now_ns = system_mono_clock().now_ns();
  executor.watchdog()->check(now_ns);
  executor.watchdog()->check(now_ns + 20'000'000);
  std::atomic<bool> ran{false};
  std::thread::id ran_on;
  Step step([&] {
    ran_on = std::this_thread::get_id();
    ran = true;
  });
  CHECK(executor.run_here(*sibling, step));
  CHECK(within(60s, [&] { return ran.load(); }));
  CHECK(ran_on != std::this_thread::get_id());
  release.set_value();
  guest.join();
  CHECK(executor.wait_idle(60s));
}

TEST_CASE("The executor is idle only after the work between a guest's turns") {
  Executor executor({2});
  const auto strand = Strand::create(executor, "asks", "main");
  std::promise<void> release;
  std::atomic<bool> working{false};
  Step work([&] {
    working = true;
    release.get_future().wait();
  });
  Step step([&] { CHECK(executor.run_between_turns(work)); });
  std::thread guest([&] { executor.run_here(*strand, step); });
  CHECK(within(60s, [&] { return working.load(); }));
  CHECK(executor.stats().busy == 0);
  CHECK_FALSE(executor.idle());
  CHECK_FALSE(executor.wait_idle(0ms));
  release.set_value();
  CHECK(executor.wait_idle(60s));
  guest.join();
}

TEST_CASE("An executor is destroyed only after its guests have left") {
  for (int round = 0; round < 300; ++round) {
    auto executor = std::make_unique<Executor>(ExecutorOptions{2});
    auto strand = Strand::create(*executor, "serves", "main");
    std::atomic<int> entered{0};
    std::vector<std::unique_ptr<Step>> steps;
    std::vector<std::thread> guests;
    for (int i = 0; i < 3; ++i) {
      steps.push_back(std::make_unique<Step>([&entered] { ++entered; }));
      guests.emplace_back(
          [&executor = *executor, strand, &step = *steps.back()] { executor.run_here(*strand, step); });
    }
    const auto until = std::chrono::steady_clock::now() + 60s;
    while (entered < 3 && std::chrono::steady_clock::now() < until) std::this_thread::yield();
    CHECK(entered == 3);
    // Closing the strand races with the guests, too.
    strand->close(nullptr, nullptr);
    strand = {};
    executor.reset();
    for (auto& guest : guests) guest.join();
  }
}
