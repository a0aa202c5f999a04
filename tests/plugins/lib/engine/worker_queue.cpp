#include "engine/worker_queue.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

using patchbay::lib::WorkerQueue;

namespace {

constexpr std::chrono::seconds kJobPatience(40);

// Waits until all jobs queued so far on the only thread have run.
template <class State>
bool wait_idle(WorkerQueue<State>& queue) {
  const auto done = std::make_shared<std::promise<void>>();
  queue.push([done](State&) { done->set_value(); });
  return done->get_future().wait_for(kJobPatience) == std::future_status::ready;
}

}  // namespace

TEST_CASE("jobs run in order, on the state of their thread") {
  std::string order;
  WorkerQueue<int> queue(1, [] { return 10; });
  for (int i = 0; i < 5; ++i) queue.push([&](int& state) { order += std::to_string(state++) + " "; });
  CHECK(wait_idle(queue));
  CHECK(order == "10 11 12 13 14 ");
}

TEST_CASE("each thread has a state, and jobs run at the same time") {
  std::atomic<int> states{0};
  std::promise<void> first, second;
  std::shared_future<void> first_runs = first.get_future().share(), second_runs = second.get_future().share();
  {
    WorkerQueue<int> queue(2, [&] { return ++states; });
    queue.push([&](int&) {
      first.set_value();
      second_runs.wait_for(kJobPatience);
    });
    queue.push([&](int&) {
      second.set_value();
      first_runs.wait_for(kJobPatience);
    });
    CHECK(first_runs.wait_for(kJobPatience) == std::future_status::ready);
    CHECK(second_runs.wait_for(kJobPatience) == std::future_status::ready);
  }
  CHECK(states == 2);
}

TEST_CASE("jobs beyond the limit are refused, all or none") {
  std::promise<void> end;
  const std::shared_future<void> ended = end.get_future().share();
  std::atomic<int> runs{0};
  std::promise<void> begun;
  WorkerQueue<int> queue(1, [] { return 0; });
  queue.push([&](int&) {
    begun.set_value();
    ended.wait_for(kJobPatience);
  });
  REQUIRE(begun.get_future().wait_for(kJobPatience) == std::future_status::ready);
  const WorkerQueue<int>::Job job = [&](int&) { ++runs; };
  CHECK(queue.push_all({job, job}, 3));
  CHECK_FALSE(queue.push_all({job, job}, 3));
  CHECK(queue.push_all({job}, 3));
  CHECK_FALSE(queue.push_all({job}, 3));
  end.set_value();
  CHECK(wait_idle(queue));
  CHECK(runs == 3);
}

TEST_CASE("a job that throws ends neither its thread nor later jobs") {
  std::atomic<int> runs{0};
  WorkerQueue<int> queue(1, [] { return 0; });
  queue.push([](int&) { throw std::runtime_error("out of memory"); });
  queue.push([&](int&) { ++runs; });
  CHECK(wait_idle(queue));
  CHECK(runs == 1);
}

TEST_CASE("the destructor waits for the running job and drops the others") {
  std::atomic<int> runs{0};
  const auto held = std::make_shared<int>(0);
  std::promise<void> begun;
  {
    WorkerQueue<int> queue(1, [] { return 0; });
    queue.push([&](int&) {
      begun.set_value();
      ++runs;
    });
    REQUIRE(begun.get_future().wait_for(kJobPatience) == std::future_status::ready);
    for (int i = 0; i < 1000; ++i) queue.push([held](int&) {});
  }
  CHECK(runs == 1);
  CHECK(held.use_count() == 1);
}
