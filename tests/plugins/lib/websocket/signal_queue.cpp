#include "websocket/signal_queue.h"

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <new>
#include <thread>
#include <vector>

using patchbay::lib::SignalQueue;

namespace {

class Signal final : public SignalQueue::Signal {
 public:
  explicit Signal(std::function<void()> callback) : callback_(std::move(callback)) {}

 private:
  void run() override { callback_(); }
  const std::function<void()> callback_;
};

std::shared_ptr<Signal> make(std::function<void()> callback) {
  return std::make_shared<Signal>(std::move(callback));
}

}  // namespace

TEST_CASE("queued signals run once, in order") {
  SignalQueue queue;
  std::vector<int> ran;
  const auto one = make([&] { ran.push_back(1); });
  const auto two = make([&] { ran.push_back(2); });
  queue.push(one);
  queue.push(two);
  queue.push(one);
  CHECK(queue.run_queued());
  CHECK(ran == std::vector<int>{1, 2});
  CHECK_FALSE(queue.run_queued());
}

TEST_CASE("only the first signal wakes a consumer that sleeps") {
  SignalQueue queue;
  const auto one = make([] {});
  const auto two = make([] {});
  CHECK_FALSE(queue.push(one));  // it does not sleep yet
  CHECK_FALSE(queue.try_sleep());
  queue.run_queued();
  CHECK(queue.try_sleep());
  CHECK(queue.push(one));
  CHECK_FALSE(queue.push(two));
  CHECK_FALSE(queue.push(one));
  queue.run_queued();
  CHECK(queue.try_sleep());
  queue.set_awake();  // by something else
  CHECK_FALSE(queue.push(one));
}

TEST_CASE("a signal pushed from its own callback runs again") {
  SignalQueue queue;
  int runs = 0;
  std::shared_ptr<Signal> signal;
  signal = make([&] {
    if (++runs < 3) queue.push(signal);
  });
  queue.push(signal);
  while (queue.run_queued()) {
  }
  CHECK(runs == 3);
  signal.reset();
}

TEST_CASE("an exception of one callback does not lose the others, nor its next run") {
  SignalQueue queue;
  int runs = 0;
  const auto failing = make([&] {
    ++runs;
    throw std::bad_alloc();
  });
  const auto other = make([&] { ++runs; });
  for (int i = 1; i <= 2; ++i) {
    queue.push(failing);
    queue.push(other);
    queue.run_queued();
    CHECK(runs == 2 * i);
  }
}

TEST_CASE("a signal may be released while it is queued, and while it runs") {
  SignalQueue queue;
  bool ran = false;
  std::shared_ptr<Signal> signal;
  signal = make([&] {
    signal.reset();
    ran = true;
  });
  const std::weak_ptr<Signal> seen = signal;
  queue.push(signal);
  CHECK(queue.run_queued());
  CHECK(ran);
  CHECK(seen.expired());

  std::weak_ptr<Signal> dropped;
  {
    SignalQueue other;
    auto queued = make([] {});
    dropped = queued;
    other.push(queued);
    queued.reset();
    CHECK_FALSE(dropped.expired());
  }
  CHECK(dropped.expired());
}

TEST_CASE("no push of several threads is lost") {
  constexpr int kThreads = 4, kPushes = 20'000;
  SignalQueue queue;
  // Each number is written by one thread and published by push() alone, with which the consumer reads it.
  std::array<std::atomic<int>, kThreads> published{};
  std::array<int, kThreads> seen{};
  std::vector<std::shared_ptr<Signal>> signals;
  for (size_t i = 0; i < kThreads; ++i)
    signals.push_back(make([&, i] { seen[i] = published[i].load(std::memory_order_relaxed); }));
  std::atomic<int> wakes{0};
  std::atomic<int> running{kThreads};
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kThreads; ++i)
    threads.emplace_back([&, i] {
      for (int n = 1; n <= kPushes; ++n) {
        published[i].store(n, std::memory_order_relaxed);
        if (queue.push(signals[i])) ++wakes;
      }
      --running;
    });
  int tries = 0;
  while (running > 0) {
    queue.run_queued();
    ++tries;
    const int before = wakes;
    if (!queue.try_sleep()) continue;
    while (wakes == before && running > 0) std::this_thread::yield();
    queue.set_awake();
  }
  for (auto& thread : threads) thread.join();
  queue.run_queued();
  for (const int last : seen) CHECK(last == kPushes);
  CHECK(wakes <= tries);
}
