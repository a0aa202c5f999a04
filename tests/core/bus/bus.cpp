#include "bus/bus.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <string>
#include <vector>

#include "bus/limits.h"
#include "runtime/executor.h"
#include "runtime/manual_clock.h"
#include "runtime/thread_kind.h"

using namespace patchbay::core;
using namespace std::chrono_literals;
using patchbay::Code;

namespace {

struct Listener {
  std::vector<std::string> received;
  const char* payload = nullptr;

  static void on_event(void* user, const Event& event) {
    auto& self = *static_cast<Listener*>(user);
    self.received.push_back(std::string(event.topic()) + "|" + std::string(event.tenant()) + "|" +
                            std::string(event.subject()) + "|" + std::string(event.payload()));
    self.payload = event.payload().data();
  }
};

struct Fixture {
  ManualClock clock{1'700'000'000'000};
  Bus bus{clock, clock};
  Executor executor{{3}};
  Ref<Strand> strand = Strand::create(executor, "listener", "main");

  SubscriptionId subscribe(Listener& listener, SubscribeOptions options) {
    auto id = bus.subscribe(std::move(options), *strand, Listener::on_event, &listener);
    CHECK(id.ok());
    return *id;
  }
  void publish(const EventData& data) { CHECK(bus.publish(data).ok()); }
  void wait_idle() { REQUIRE(executor.wait_idle(60s)); }
};

EventData event(std::string_view topic, std::string_view subject, std::string_view payload,
                std::string_view tenant = "") {
  EventData data;
  data.topic = topic;
  data.subject = subject;
  data.payload = payload;
  data.tenant = tenant;
  return data;
}

}  // namespace

TEST_CASE("Each pattern gets its topics, and all subscribers share one payload") {
  Fixture f;
  Listener exact, prefix, all, other;
  f.subscribe(exact, {"call.answered", "", 16, DropPolicy::oldest});
  f.subscribe(prefix, {"call.*", "", 16, DropPolicy::oldest});
  f.publish(event("call.answered", "c1", "{\"n\":1}"));
  f.subscribe(all, {"*", "", 16, DropPolicy::oldest});  // after the topic became known
  f.subscribe(other, {"room.*", "", 16, DropPolicy::oldest});
  f.publish(event("call.answered", "c1", "{\"n\":2}"));
  f.publish(event("call.ended", "c1", "{}"));
  f.wait_idle();
  CHECK(exact.received ==
        std::vector<std::string>{"call.answered||c1|{\"n\":1}", "call.answered||c1|{\"n\":2}"});
  CHECK(prefix.received.size() == 3);
  CHECK(all.received.size() == 2);
  CHECK(other.received.empty());
  CHECK(prefix.payload == all.payload);
}

TEST_CASE("A tenant filter passes one tenant's events") {
  Fixture f;
  Listener a;
  f.subscribe(a, {"*", "a.example", 16, DropPolicy::oldest});
  f.publish(event("call.ended", "1", "{}", "a.example"));
  f.publish(event("call.ended", "2", "{}", "b.example"));
  f.publish(event("call.ended", "3", "{}"));
  f.wait_idle();
  CHECK(a.received == std::vector<std::string>{"call.ended|a.example|1|{}"});
}

TEST_CASE("Events carry the publisher's fields and the wall clock's time") {
  Fixture f;
  EventData data = event("call.ended", "s", "{}", "t");
  data.correlation = "c";
  data.id = 7;
  auto created = f.bus.make(data);
  REQUIRE(created.ok());
  const Event& made_event = **created;
  CHECK(made_event.time_ms() == 1'700'000'000'000);
  CHECK(made_event.id() == 7);
  CHECK(made_event.correlation() == "c");
  CHECK(made_event.subject() == "s");
  CHECK(made_event.tenant() == "t");
}

TEST_CASE("Events of any size keep their text") {
  Fixture f;
  Listener all;
  f.subscribe(all, {"*", "", 16, DropPolicy::oldest});
  std::vector<std::string> expected;
  for (const size_t size : {0, 100, 300, 900, 1100, 100'000}) {
    const std::string payload(size, char('a' + size % 26));
    f.publish(event("call.x", "s", payload, "t"));
    expected.push_back("call.x|t|s|" + payload);
  }
  f.wait_idle();
  CHECK(all.received == expected);
}

TEST_CASE("An event may be released after its bus is gone") {
  Ref<const Event> kept;
  {
    Fixture f;
    kept = *f.bus.make(event("call.ended", "s", "{}"));
  }
  CHECK(kept->payload() == "{}");
  kept = {};
}

TEST_CASE("Invalid calls are refused with a reason") {
  Fixture f;
  CHECK(f.bus.publish(event("no topic", "", "")).error().code == Code::invalid);
  CHECK(f.bus.subscribe({"a*", "", 1, DropPolicy::oldest}, *f.strand, Listener::on_event, nullptr)
            .error()
            .code == Code::invalid);
  CHECK(f.bus.subscribe({"a", "", 0, DropPolicy::oldest}, *f.strand, Listener::on_event, nullptr)
            .error()
            .code == Code::invalid);
  CHECK(f.bus.unsubscribe(99).error().code == Code::not_found);
  thread_state.kind = ThreadKind::media;
  CHECK(f.bus.publish(event("a", "", "")).error().code == Code::misuse);
  thread_state.kind = ThreadKind::other;
}

TEST_CASE("A full queue drops by its policy and reports it once") {
  Fixture f;
  Listener listener, drops;
  SubscribeOptions options{"call.*", "", 4, DropPolicy::oldest};
  std::vector<std::string> kept{"7", "8", "9", "10"};
  SUBCASE("the oldest") {}
  SUBCASE("the newest") {
    options.policy = DropPolicy::newest;
    kept = {"1", "2", "3", "4"};
  }
  const SubscriptionId id = f.subscribe(listener, options);
  f.subscribe(drops, {"core.bus.*", "", 16, DropPolicy::oldest});
  f.strand->post([&] {
    for (int i = 1; i <= 10; ++i) f.publish(event("call.x", "", std::to_string(i)));
  });
  f.wait_idle();
  REQUIRE(listener.received.size() == 4);
  for (size_t i = 0; i < 4; ++i) CHECK(listener.received[i] == "call.x|||" + kept[i]);
  const auto stats = f.bus.stats(id);
  REQUIRE(stats.ok());
  CHECK(const_cast<patchbay::Result<SubscriptionStats>&>(stats)->dropped == 6);
  REQUIRE(drops.received.size() == 1);
  CHECK(drops.received[0] == "core.bus.dropped||listener|{\"subscription\":" + std::to_string(id) +
                                 ",\"pattern\":\"call.*\",\"dropped\":6,\"total\":6}");
}

TEST_CASE("Dropped drop reports are not reported") {
  Fixture f;
  Listener narrow, source;
  f.subscribe(narrow, {"*", "", 1, DropPolicy::oldest});
  for (int i = 0; i < 4; ++i) f.subscribe(source, {"call.x", "", 1, DropPolicy::oldest});
  f.strand->post([&] {
    for (int i = 0; i < 5; ++i) f.publish(event("call.x", "", "{}"));
  });
  f.wait_idle();  // would never be idle if they were
  CHECK(narrow.received.size() < 12);
}

TEST_CASE("After unsubscribing on its strand no event arrives and done is called") {
  Fixture f;
  Listener listener;
  bool done = false;
  const SubscriptionId id = f.subscribe(listener, {"*", "", 16, DropPolicy::oldest});
  f.strand->post([&] {
    f.publish(event("call.x", "", "{}"));
    CHECK(f.bus
              .unsubscribe(
                  id, [](void* user) { *static_cast<bool*>(user) = true; }, &done)
              .ok());
    f.publish(event("call.x", "", "{}"));
  });
  f.wait_idle();
  CHECK(listener.received.empty());
  CHECK(done);
}

TEST_CASE("A callback may unsubscribe itself and publish") {
  struct Once {
    Fixture& f;
    SubscriptionId id = 0;
    int calls = 0;
  };
  Fixture f;
  Once once{f};
  Listener listener;
  f.subscribe(listener, {"reply.*", "", 16, DropPolicy::oldest});
  once.id = *f.bus.subscribe(
      {"call.*", "", 16, DropPolicy::oldest}, *f.strand,
      [](void* user, const Event&) {
        auto& self = *static_cast<Once*>(user);
        ++self.calls;
        CHECK(self.f.bus.unsubscribe(self.id).ok());
        CHECK(self.f.bus.publish(event("reply.x", "", "{}")).ok());
      },
      &once);
  for (int i = 0; i < 5; ++i) f.publish(event("call.x", "", "{}"));
  f.wait_idle();
  CHECK(once.calls == 1);
  CHECK(listener.received.size() == 1);
}

TEST_CASE("A subscription on a closed strand is harmless") {
  Fixture f;
  Listener listener;
  const SubscriptionId id = f.subscribe(listener, {"*", "", 16, DropPolicy::oldest});
  f.strand->close(nullptr, nullptr);
  f.wait_idle();
  for (int i = 0; i < 40; ++i) f.publish(event("call.x", "", "{}"));
  bool done = false;
  CHECK(f.bus
            .unsubscribe(
                id, [](void* user) { *static_cast<bool*>(user) = true; }, &done)
            .ok());
  CHECK(done);
  CHECK(listener.received.empty());
}

TEST_CASE("Queued events are limited in bytes, too") {
  Fixture f;
  Listener slow;
  f.subscribe(slow, {"big.*", "", 1024, DropPolicy::oldest});
  std::promise<void> release;
  f.strand->post([held = release.get_future().share()] { held.wait(); });
  const std::string payload(1 << 20, 'x');
  for (int i = 0; i < 40; ++i) f.publish(event("big.one", "call", payload));
  const auto stats = f.bus.owner_stats();
  REQUIRE(stats.count("listener") == 1);
  CHECK(stats.at("listener").queued < 17);
  CHECK(stats.at("listener").queued + stats.at("listener").dropped == 40);
  f.publish(event("big.one", "call", std::string(size_t{20} << 20, 'y')));  // fits an empty queue
  release.set_value();
  f.wait_idle();
  CHECK(slow.received.size() == 1);
}

TEST_CASE("A publisher may create a limited number of topics and publish on all existing ones") {
  Fixture f;
  std::atomic<uint32_t> created{0};
  for (uint32_t i = 0; i < kMaxTopicsPerPublisher; ++i)
    CHECK(f.bus.may_publish("varies." + std::to_string(i), created).ok());
  CHECK(f.bus.may_publish("varies.0", created).ok());
  const auto refused = f.bus.may_publish("varies.more", created);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == Code::exhausted);
  std::atomic<uint32_t> other_publisher{0};
  CHECK(f.bus.may_publish("varies.more", other_publisher).ok());
  CHECK(f.bus.may_publish("varies.more", created).ok());
}

TEST_CASE("Drops of ended subscriptions stay counted") {
  Fixture f;
  Listener slow;
  const auto id = f.subscribe(slow, {"a.b", "", 1, DropPolicy::newest});
  std::promise<void> release;
  f.strand->post([held = release.get_future().share()] { held.wait(); });
  for (int i = 0; i < 3; ++i) f.publish(event("a.b", "s", "{}"));
  CHECK(f.bus.owner_stats().at("listener").dropped == 2);
  CHECK(f.bus.unsubscribe(id).ok());
  CHECK(f.bus.owner_stats().at("listener").dropped == 2);
  release.set_value();
  f.wait_idle();
}
