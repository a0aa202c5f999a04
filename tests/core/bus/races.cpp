// For ThreadSanitizer: threads that publish, receive, subscribe and unsubscribe at once.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "bus/bus.h"
#include "runtime/clock.h"
#include "runtime/executor.h"

using namespace patchbay::core;
using namespace std::chrono_literals;

TEST_CASE("Order per subject holds while threads publish and subscriptions come and go") {
  struct Ordered {
    std::map<std::string, int, std::less<>> last;
    int received = 0;
    int disorder = 0;
  };
  Executor executor({3});
  Bus bus(system_wall_clock(), system_mono_clock());
  std::vector<Ordered> listeners(4);
  std::vector<Ref<Strand>> strands;
  for (auto& listener : listeners) {
    strands.push_back(Strand::create(executor, "test", "listener"));
    CHECK(bus.subscribe(
                 {"call.*", "", 65536, DropPolicy::newest}, *strands.back(),
                 [](void* user, const Event& event) {
                   auto& self = *static_cast<Ordered*>(user);
                   const int number = std::stoi(std::string(event.payload()));
                   auto& last = self.last[std::string(event.subject())];
                   self.disorder += number != last + 1;
                   last = number;
                   ++self.received;
                 },
                 &listener)
              .ok());
  }
  std::atomic<bool> stop{false};
  std::thread subscriber([&] {
    const auto strand = Strand::create(executor, "test", "subscriber");
    std::atomic<int> received{0};
    while (!stop) {
      const auto count = [](void* user, const Event&) { ++*static_cast<std::atomic<int>*>(user); };
      auto id = bus.subscribe({"*", "", 8, DropPolicy::oldest}, *strand, count, &received);
      CHECK(bus.unsubscribe(*id).ok());
    }
    executor.wait_idle(60s);
  });
  std::vector<std::thread> publishers;
  for (int p = 0; p < 3; ++p)
    publishers.emplace_back([&bus, p] {
      const std::string subject = "call-" + std::to_string(p);
      bool refused = false;
      for (int i = 1; i <= 2000; ++i) {
        const std::string payload = std::to_string(i);
        EventData data;
        data.topic = i % 2 ? "call.odd" : "call.even";
        data.subject = subject;
        data.payload = payload;
        refused |= !bus.publish(data).ok();
      }
      CHECK_FALSE(refused);
    });
  for (auto& publisher : publishers) publisher.join();
  stop = true;
  subscriber.join();
  REQUIRE(executor.wait_idle(60s));
  for (auto& listener : listeners) {
    CHECK(listener.received == 6000);
    CHECK(listener.disorder == 0);
  }
}

TEST_CASE("No event arrives after done when another thread unsubscribes") {
  struct Receiver {
    std::atomic<bool> done{false};
    std::atomic<int> late{0};
    std::atomic<int> received{0};
  };
  Executor executor({3});
  Bus bus(system_wall_clock(), system_mono_clock());
  std::atomic<bool> stop{false};
  std::thread publisher([&] {
    EventData data;
    data.topic = "call.x";
    bool refused = false;
    while (!stop) refused |= !bus.publish(data).ok();
    CHECK_FALSE(refused);
  });
  for (int round = 0; round < 300; ++round) {
    const auto strand = Strand::create(executor, "test", "receiver");
    Receiver receiver;
    auto id = bus.subscribe(
        {"call.x", "", 64, DropPolicy::oldest}, *strand,
        [](void* user, const Event&) {
          auto& self = *static_cast<Receiver*>(user);
          ++self.received;
          if (self.done) ++self.late;
        },
        &receiver);
    const auto deadline = std::chrono::steady_clock::now() + 60s;
    while (round % 2 && !receiver.received && std::chrono::steady_clock::now() < deadline)
      std::this_thread::yield();
    CHECK(bus.unsubscribe(
                 *id, [](void* user) { static_cast<Receiver*>(user)->done = true; }, &receiver)
              .ok());
    while (!receiver.done && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    CHECK(receiver.done);
    CHECK(receiver.late == 0);
  }
  stop = true;
  publisher.join();
}
