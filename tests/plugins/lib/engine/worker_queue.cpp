#include "engine/worker_queue.h"

#include <doctest/doctest.h>
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/within.h"

using patchbay::lib::WorkerQueue;

namespace {

constexpr std::chrono::seconds kJobPatience(40);
constexpr std::chrono::hours kNeverIdle(1);
constexpr std::chrono::milliseconds kSoonIdle(5);

// Counts the states that exist and that have ever existed.
struct CountedState {
  explicit CountedState(std::atomic<int>& alive, std::atomic<int>& made) : alive_(&alive) {
    ++alive;
    ++made;
  }
  CountedState(CountedState&& other) noexcept : alive_(std::exchange(other.alive_, nullptr)) {}
  ~CountedState() {
    if (alive_ != nullptr) --*alive_;
  }
  std::atomic<int>* alive_;
};

// Waits until all jobs queued so far on the only thread have run.
template <class State>
bool wait_idle(WorkerQueue<State>& queue) {
  const auto done = std::make_shared<std::promise<void>>();
  queue.push([done](State&) { done->set_value(); });
  return done->get_future().wait_for(kJobPatience) == std::future_status::ready;
}

// While one exists, no thread can be started, because its stack would be larger than the address space.
class NoNewThreads {
 public:
  NoNewThreads() {
    ::pthread_getattr_default_np(&before_);
    pthread_attr_t huge;
    ::pthread_getattr_default_np(&huge);
    ::pthread_attr_setstacksize(&huge, size_t{1} << 60);
    ::pthread_setattr_default_np(&huge);
    ::pthread_attr_destroy(&huge);
  }
  ~NoNewThreads() {
    ::pthread_setattr_default_np(&before_);
    ::pthread_attr_destroy(&before_);
  }

 private:
  pthread_attr_t before_;
};

}  // namespace

TEST_CASE("jobs run in order, on the state of their thread") {
  std::string order;
  WorkerQueue<int> queue(
      1, [] { return 10; }, kNeverIdle);
  for (int i = 0; i < 5; ++i) queue.push([&](int& state) { order += std::to_string(state++) + " "; });
  CHECK(wait_idle(queue));
  CHECK(order == "10 11 12 13 14 ");
}

TEST_CASE("each thread has a state, and jobs run at the same time") {
  std::atomic<int> states{0};
  std::promise<void> first, second;
  std::shared_future<void> first_runs = first.get_future().share(), second_runs = second.get_future().share();
  {
    WorkerQueue<int> queue(
        2, [&] { return ++states; }, kNeverIdle);
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
  WorkerQueue<int> queue(
      1, [] { return 0; }, kNeverIdle);
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
  WorkerQueue<int> queue(
      1, [] { return 0; }, kNeverIdle);
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
    WorkerQueue<int> queue(
        1, [] { return 0; }, kNeverIdle);
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

TEST_CASE("a state is made with the first job, destroyed when idle, and made again with the next job") {
  std::atomic<int> alive{0}, made{0};
  WorkerQueue<CountedState> queue(
      2, [&] { return CountedState(alive, made); }, kSoonIdle);
  CHECK(made == 0);
  for (int round = 1; round <= 3; ++round) {
    CHECK(wait_idle(queue));
    CHECK(made == round);
    CHECK(within(kJobPatience, [&] { return alive == 0; }));
  }
}

TEST_CASE("while a Use exists, its states are kept") {
  std::atomic<int> alive{0}, made{0};
  WorkerQueue<CountedState> queue(
      1, [&] { return CountedState(alive, made); }, kSoonIdle);
  {
    const auto use = queue.use();
    const auto second = queue.use();
    CHECK(wait_idle(queue));
    std::this_thread::sleep_for(10 * kSoonIdle);  // far beyond the idle time
    CHECK(alive == 1);
    CHECK(wait_idle(queue));
    CHECK(made == 1);
  }
  CHECK(within(kJobPatience, [&] { return alive == 0; }));
}

TEST_CASE("a use may outlive the queue") {
  auto queue = std::make_unique<WorkerQueue<int>>(
      1, [] { return 0; }, kSoonIdle);
  const auto use = queue->use();
  CHECK(wait_idle(*queue));
  queue.reset();
}

TEST_CASE("many jobs while threads end all run") {
  std::atomic<int> runs{0};
  WorkerQueue<int> queue(
      3, [] { return 0; }, std::chrono::milliseconds(0));
  for (int i = 0; i < 2000; ++i) {
    CHECK(queue.push([&](int&) { ++runs; }));
    if (i % 100 == 0) CHECK(within(kJobPatience, [&] { return runs == i + 1; }));
  }
  CHECK(within(kJobPatience, [&] { return runs == 2000; }));
}

TEST_CASE("a job is refused while no thread can be started, also after threads have ended") {
  std::atomic<int> alive{0}, made{0};
  WorkerQueue<CountedState> queue(
      1, [&] { return CountedState(alive, made); }, kSoonIdle);
  for (int round = 1; round <= 3; ++round) {
    CHECK(wait_idle(queue));
    CHECK(within(kJobPatience, [&] { return alive == 0; }));
    std::this_thread::sleep_for(kSoonIdle);  // so that the thread is likely to have noted its end
    const NoNewThreads none;
    CHECK_FALSE(queue.push([](CountedState&) {}));
  }
  CHECK(wait_idle(queue));
}
