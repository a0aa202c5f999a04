#include "runtime/strand.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "runtime/executor.h"
#include "runtime/thread_kind.h"

using namespace patchbay::core;
using namespace std::chrono_literals;

TEST_CASE("A strand runs tasks in the order in which they were posted") {
  Executor executor({4});
  const auto strand = Strand::create(executor, "test", "order");
  std::vector<int> seen;
  for (int i = 0; i < 1000; ++i) CHECK(strand->post([&seen, i] { seen.push_back(i); }));
  REQUIRE(executor.wait_idle(60s));
  REQUIRE(seen.size() == 1000);
  for (int i = 0; i < 1000; ++i) CHECK(seen[size_t(i)] == i);
}

TEST_CASE("None of thousands of strands runs two tasks at once while many threads post") {
  struct Actor {
    Ref<Strand> strand;
    int unguarded = 0;  // a race here is what ThreadSanitizer looks for
    std::atomic<bool> inside{false};
    std::atomic<int> overlaps{0};
  };
  Executor executor({4});
  std::vector<Actor> actors(3000);
  for (auto& actor : actors) actor.strand = Strand::create(executor, "test", "actor");
  std::vector<std::thread> posters;
  for (int t = 0; t < 4; ++t)
    posters.emplace_back([&actors] {
      for (int round = 0; round < 10; ++round)
        for (auto& actor : actors)
          actor.strand->post([&actor] {
            if (actor.inside.exchange(true)) ++actor.overlaps;
            ++actor.unguarded;
            actor.inside = false;
          });
    });
  for (auto& poster : posters) poster.join();
  REQUIRE(executor.wait_idle(60s));
  int overlaps = 0;
  int wrong = 0;
  for (auto& actor : actors) {
    overlaps += actor.overlaps;
    wrong += actor.unguarded != 40;
  }
  CHECK(overlaps == 0);
  CHECK(wrong == 0);
}

TEST_CASE("Closing runs the queued tasks and then done, and refuses further posts") {
  Executor executor({2});
  const auto strand = Strand::create(executor, "test", "closing");
  std::vector<int> seen;
  bool refused = false;
  strand->post([&] {
    strand->post([&seen] { seen.push_back(1); });
    strand->close([](void* user) { static_cast<std::vector<int>*>(user)->push_back(2); }, &seen);
    refused = !strand->post([&seen] { seen.push_back(99); });
  });
  REQUIRE(executor.wait_idle(60s));
  CHECK(refused);
  CHECK(seen == std::vector<int>{1, 2});
  SUBCASE("and a late close calls done at once") {
    strand->close([](void* user) { static_cast<std::vector<int>*>(user)->push_back(3); }, &seen);
    CHECK(seen.back() == 3);
  }
}

TEST_CASE("Every accepted post runs before done, even if threads post during the close") {
  Executor executor({2});
  for (int round = 0; round < 200; ++round) {
    const auto strand = Strand::create(executor, "test", "race");
    std::atomic<int> ran{0};
    std::atomic<int> ran_at_done{-1};
    std::atomic<int> accepted{0};
    struct Seen {
      std::atomic<int>&ran, &at_done;
    } seen{ran, ran_at_done};
    std::thread poster([&] {
      for (int i = 0; i < 50; ++i) accepted += strand->post([&ran] { ++ran; });
    });
    strand->close(
        [](void* user) {
          auto& s = *static_cast<Seen*>(user);
          s.at_done = s.ran.load();
        },
        &seen);
    poster.join();
    REQUIRE(executor.wait_idle(60s));
    CHECK(ran == accepted);
    CHECK(ran_at_done == accepted);
  }
}

TEST_CASE("A busy strand does not keep others from running") {
  Executor executor({1});
  const auto busy = Strand::create(executor, "test", "busy");
  const auto other = Strand::create(executor, "test", "other");
  int turns = 0;
  int turns_when_other_ran = -1;
  busy->post([&] {
    for (int i = 0; i < 1000; ++i) busy->post([&turns] { ++turns; });
    other->post([&] { turns_when_other_ran = turns; });
  });
  REQUIRE(executor.wait_idle(60s));
  CHECK(turns == 1000);
  CHECK(turns_when_other_ran >= 0);
  CHECK(turns_when_other_ran < 200);
}

TEST_CASE("A task can read its strand, kind of thread and owner") {
  Executor executor({2});
  const auto strand = Strand::create(executor, "whitelist", "main");
  bool right = false;
  strand->post([&] {
    right = Strand::current() == strand.get() && thread_kind() == ThreadKind::strand &&
            std::string_view(current_owner()) == "whitelist";
  });
  REQUIRE(executor.wait_idle(60s));
  CHECK(right);
  CHECK(Strand::current() == nullptr);
  CHECK(thread_kind() == ThreadKind::other);
}

TEST_CASE("A strand lives as long as it has tasks") {
  Executor executor({2});
  std::atomic<int> ran{0};
  for (int i = 0; i < 1000; ++i) Strand::create(executor, "test", "gone")->post([&ran] { ++ran; });
  REQUIRE(executor.wait_idle(60s));
  CHECK(ran == 1000);
}
