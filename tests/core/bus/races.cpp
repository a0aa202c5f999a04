// What ThreadSanitizer is to look at: publishers, listeners and those who come and go, all at once.
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

TEST_CASE("Order per subject holds while many publish and others come and go") {
  struct Ordered {
    std::map<std::string, int, std::less<>> last;
    int heard = 0;
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
                   ++self.heard;
                 },
                 &listener)
              .ok());
  }
  std::atomic<bool> stop{false};
  std::thread comer([&] {
    const auto strand = Strand::create(executor, "test", "comer");
    std::atomic<int> heard{0};
    while (!stop) {
      const auto count = [](void* user, const Event&) { ++*static_cast<std::atomic<int>*>(user); };
      auto id = bus.subscribe({"*", "", 8, DropPolicy::oldest}, *strand, count, &heard);
      CHECK(bus.unsubscribe(*id).ok());
    }
    executor.wait_idle(10s);
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
  comer.join();
  REQUIRE(executor.wait_idle(30s));
  for (auto& listener : listeners) {
    CHECK(listener.heard == 6000);
    CHECK(listener.disorder == 0);
  }
}

TEST_CASE("Nothing is heard after done when unsubscribed from another thread") {
  struct Life {
    std::atomic<bool> over{false};
    std::atomic<int> late{0};
    std::atomic<int> heard{0};
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
    const auto strand = Strand::create(executor, "test", "life");
    Life life;
    auto id = bus.subscribe(
        {"call.x", "", 64, DropPolicy::oldest}, *strand,
        [](void* user, const Event&) {
          auto& self = *static_cast<Life*>(user);
          ++self.heard;
          if (self.over) ++self.late;
        },
        &life);
    const auto deadline = std::chrono::steady_clock::now() + 10s;
    while (round % 2 && !life.heard && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    CHECK(bus.unsubscribe(
                 *id, [](void* user) { static_cast<Life*>(user)->over = true; }, &life)
              .ok());
    while (!life.over && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    CHECK(life.over);
    CHECK(life.late == 0);
  }
  stop = true;
  publisher.join();
}
