// The cost of one delivery: on the same strand and across strands, with 1 and 4 subscribers, compared with a
// mutex queue with a condition variable between two threads, and a direct virtual call. Publishers send
// bursts of 256; "one at a time" publishes an event when the one before was heard, as most plugins do.
// An argument, the name of a side, runs only that side, for a profiler.
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "bench/pairs.h"
#include "bus/bus.h"
#include "runtime/clock.h"
#include "runtime/executor.h"

using namespace patchbay;
using namespace patchbay::core;

namespace {

constexpr int kBurst = 256;
constexpr int kBursts = 2000;
constexpr double kEvents = double(kBurst) * kBursts;

template <class Work>
double cpu_ns_per(double units, Work&& work) {
  const double begin = bench::cpu_seconds_now();
  work();
  return (bench::cpu_seconds_now() - begin) * 1e9 / units;
}

struct Sink {
  virtual ~Sink() = default;
  virtual void hear(const Event& event) = 0;
};

struct CountingSink final : Sink {
  volatile uint64_t sum = 0;
  [[gnu::noinline]] void hear(const Event& event) override { sum = sum + event.payload().size(); }
};

EventData sample() {
  EventData data;
  data.topic = "call.answered";
  data.tenant = "a.example";
  data.subject = "c-0123456789ab";
  data.payload = R"({"callId":"c-0123456789ab","phone":"+431234567","at":"2026-01-01T00:00:00.000Z"})";
  return data;
}

double direct_call(Bus& bus) {
  const auto event = *bus.make(sample());
  std::vector<std::unique_ptr<Sink>> sinks(1);
  sinks[0] = std::make_unique<CountingSink>();
  return cpu_ns_per(kEvents, [&] {
    for (int i = 0; i < kBurst * kBursts; ++i) {
      Sink* volatile sink = sinks[0].get();  // volatile, so that the compiler cannot devirtualise the call
      sink->hear(*event);
    }
  });
}

double mutex_queue(Bus& bus) {
  const auto event = *bus.make(sample());
  std::mutex mutex;
  std::condition_variable wake;
  std::deque<Ref<const Event>> queue;
  CountingSink sink;
  return cpu_ns_per(kEvents, [&] {
    std::thread consumer([&] {
      for (int taken = 0; taken < kBurst * kBursts; ++taken) {
        std::unique_lock lock(mutex);
        wake.wait(lock, [&] { return !queue.empty(); });
        const auto next = std::move(queue.front());
        queue.pop_front();
        lock.unlock();
        sink.hear(*next);
      }
    });
    for (int i = 0; i < kBurst * kBursts; ++i) {
      {
        const std::lock_guard lock(mutex);
        queue.push_back(event);
      }
      wake.notify_one();
    }
    consumer.join();
  });
}

// A publisher on a strand, which pauses when too many events are in flight; the subscriber resumes it.
struct Run {
  static constexpr int kMaxPending = 16 * kBurst;

  Bus& bus;
  bool fresh;
  Ref<Strand> publisher;
  Ref<const Event> event;
  int sent = 0;  // on the publisher's strand
  // Written by the listeners, on cache lines that the publisher seldom reads.
  alignas(64) CountingSink sink;
  alignas(64) std::atomic<int> heard{0};  // by the last subscriber
  std::atomic<bool> waiting{false};

  void go() {
    publisher->post([](void* self) { static_cast<Run*>(self)->publish(); }, this);
  }

  void publish() {
    const EventData data = sample();
    for (int left = kBurst; left > 0 && sent < kBurst * kBursts; --left, ++sent) {
      [[maybe_unused]] const Code code = bus.publish(fresh ? *bus.make(data) : Ref<const Event>(event));
    }
    if (sent == kBurst * kBursts) return;
    if (sent - heard < kMaxPending) return go();
    waiting = true;
    if (sent - heard < kMaxPending && waiting.exchange(false)) go();
  }

  static void hear(void* self, const Event& event) { static_cast<Run*>(self)->sink.hear(event); }
  static void hear_last(void* self, const Event& event) {
    auto& run = *static_cast<Run*>(self);
    run.sink.hear(event);
    const int heard = run.heard.load(std::memory_order_relaxed) + 1;
    run.heard.store(heard, std::memory_order_relaxed);
    if (heard % kBurst == 0 && run.waiting.exchange(false)) run.go();
  }
};

double bus_run(Bus& bus, Executor& executor, int listeners, bool cross, bool fresh) {
  const auto listening = Strand::create(executor, "bench", "listener");
  const auto publishing = cross ? Strand::create(executor, "bench", "publisher") : listening;
  Run run{bus, fresh, publishing, *bus.make(sample()), 0, {}};
  std::vector<SubscriptionId> ids;
  for (int i = 0; i < listeners; ++i)
    ids.push_back(*bus.subscribe({"call.*", "", 65536, DropPolicy::newest}, *listening,
                                 i + 1 < listeners ? Run::hear : Run::hear_last, &run));
  const double ns = cpu_ns_per(kEvents * listeners, [&] {
    run.go();
    executor.wait_idle(std::chrono::minutes(1));
  });
  if (run.heard != kBurst * kBursts) std::abort();
  for (const auto id : ids)
    if (!bus.unsubscribe(id)) std::abort();
  executor.wait_idle(std::chrono::minutes(1));
  return ns;
}

// Two strands; what hears an event on one has the next one published on the other.
struct Relay {
  Bus& bus;
  Ref<Strand> publisher;
  int left;

  void go() {
    publisher->post([](void* self) { static_cast<Relay*>(self)->publish(); }, this);
  }
  void publish() {
    if (!bus.publish(sample())) std::abort();
  }
  static void hear(void* self, const Event&) {
    auto& relay = *static_cast<Relay*>(self);
    if (--relay.left > 0) relay.go();
  }
};

double one_at_a_time(Bus& bus, Executor& executor) {
  constexpr int kSingles = 50'000;
  const auto listening = Strand::create(executor, "bench", "listener");
  Relay relay{bus, Strand::create(executor, "bench", "publisher"), kSingles};
  const auto id = *bus.subscribe({"call.*", ""}, *listening, Relay::hear, &relay);
  const double ns = cpu_ns_per(kSingles, [&] {
    relay.go();
    executor.wait_idle(std::chrono::minutes(1));
  });
  if (relay.left != 0 || !bus.unsubscribe(id)) std::abort();
  executor.wait_idle(std::chrono::minutes(1));
  return ns;
}

double run_side(const std::vector<bench::Side<std::function<double()>>>& sides, const std::string& name) {
  for (const auto& side : sides)
    if (side.name == name) return side.run();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Bus bus(system_wall_clock(), system_mono_clock());
  Executor executor({2});
  std::vector<bench::Side<std::function<double()>>> sides{
      {"mutex queue, cross thread", [&] { return mutex_queue(bus); }},
      {"direct virtual call", [&] { return direct_call(bus); }},
  };
  for (const bool fresh : {false, true})
    for (const bool cross : {false, true})
      for (const int listeners : {1, 4})
        sides.push_back({std::string("bus, ") + (cross ? "cross" : "same") + " strand, " +
                             std::to_string(listeners) + (listeners > 1 ? " listeners" : " listener") +
                             (fresh            ? ", event made"
                              : listeners == 1 ? ""
                              : cross          ? " (goal: 15)"
                                               : " (goal: 12)"),
                         [&bus, &executor, listeners, cross, fresh] {
                           return bus_run(bus, executor, listeners, cross, fresh);
                         }});
  sides.push_back(
      {"bus, cross strand, one at a time", [&bus, &executor] { return one_at_a_time(bus, executor); }});
  if (argc > 1) return run_side(sides, argv[1]) > 0 ? 0 : 1;
  bench::run_rounds("event bus", "ns of processor time per delivery", sides);
}
