#include "bus/bus.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <string>
#include <vector>

#include "runtime/executor.h"
#include "runtime/manual_clock.h"
#include "runtime/thread_kind.h"

using namespace patchbay::core;
using namespace std::chrono_literals;
using patchbay::Code;

namespace {

struct Listener {
  std::vector<std::string> seen;
  const char* payload = nullptr;

  static void hear(void* user, const Event& event) {
    auto& self = *static_cast<Listener*>(user);
    self.seen.push_back(std::string(event.topic()) + "|" + std::string(event.tenant()) + "|" +
                        std::string(event.subject()) + "|" + std::string(event.payload()));
    self.payload = event.payload().data();
  }
};

struct Fixture {
  ManualClock clock{1'700'000'000'000};
  Bus bus{clock, clock};
  Executor executor{{3}};
  Ref<Strand> strand = Strand::create(executor, "listener", "main");

  SubscriptionId listen(Listener& listener, SubscribeOptions options) {
    auto id = bus.subscribe(std::move(options), *strand, Listener::hear, &listener);
    CHECK(id.ok());
    return *id;
  }
  void publish(const EventData& data) { CHECK(bus.publish(data).ok()); }
  void settle() { REQUIRE(executor.wait_idle(10s)); }
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

TEST_CASE("Every pattern hears its own and all share one payload") {
  Fixture f;
  Listener exact, prefix, all, other;
  f.listen(exact, {"call.answered", "", 16, DropPolicy::oldest});
  f.listen(prefix, {"call.*", "", 16, DropPolicy::oldest});
  f.publish(event("call.answered", "c1", "{\"n\":1}"));
  f.listen(all, {"*", "", 16, DropPolicy::oldest});  // after the topic became known
  f.listen(other, {"room.*", "", 16, DropPolicy::oldest});
  f.publish(event("call.answered", "c1", "{\"n\":2}"));
  f.publish(event("call.ended", "c1", "{}"));
  f.settle();
  CHECK(exact.seen == std::vector<std::string>{"call.answered||c1|{\"n\":1}", "call.answered||c1|{\"n\":2}"});
  CHECK(prefix.seen.size() == 3);
  CHECK(all.seen.size() == 2);
  CHECK(other.seen.empty());
  CHECK(prefix.payload == all.payload);
}

TEST_CASE("A tenant filter hears one tenant") {
  Fixture f;
  Listener a;
  f.listen(a, {"*", "a.example", 16, DropPolicy::oldest});
  f.publish(event("call.ended", "1", "{}", "a.example"));
  f.publish(event("call.ended", "2", "{}", "b.example"));
  f.publish(event("call.ended", "3", "{}"));
  f.settle();
  CHECK(a.seen == std::vector<std::string>{"call.ended|a.example|1|{}"});
}

TEST_CASE("Events carry what the publisher said and the time of the wall clock") {
  Fixture f;
  EventData data = event("call.ended", "s", "{}", "t");
  data.correlation = "c";
  data.id = 7;
  auto made = f.bus.make(data);
  REQUIRE(made.ok());
  const Event& made_event = **made;
  CHECK(made_event.time_ms() == 1'700'000'000'000);
  CHECK(made_event.id() == 7);
  CHECK(made_event.correlation() == "c");
  CHECK(made_event.subject() == "s");
  CHECK(made_event.tenant() == "t");
}

TEST_CASE("What is wrong is refused with a reason") {
  Fixture f;
  CHECK(f.bus.publish(event("no topic", "", "")).error().code == Code::invalid);
  CHECK(f.bus.subscribe({"a*", "", 1, DropPolicy::oldest}, *f.strand, Listener::hear, nullptr).error().code ==
        Code::invalid);
  CHECK(f.bus.subscribe({"a", "", 0, DropPolicy::oldest}, *f.strand, Listener::hear, nullptr).error().code ==
        Code::invalid);
  CHECK(f.bus.unsubscribe(99).error().code == Code::not_found);
  thread_state.kind = ThreadKind::media;
  CHECK(f.bus.publish(event("a", "", "")).error().code == Code::misuse);
  thread_state.kind = ThreadKind::other;
}

TEST_CASE("A full queue drops by its policy and says so once") {
  Fixture f;
  Listener listener, drops;
  SubscribeOptions options{"call.*", "", 4, DropPolicy::oldest};
  std::vector<std::string> kept{"7", "8", "9", "10"};
  SUBCASE("the oldest") {}
  SUBCASE("the newest") {
    options.policy = DropPolicy::newest;
    kept = {"1", "2", "3", "4"};
  }
  const SubscriptionId id = f.listen(listener, options);
  f.listen(drops, {"core.bus.*", "", 16, DropPolicy::oldest});
  f.strand->post([&] {
    for (int i = 1; i <= 10; ++i) f.publish(event("call.x", "", std::to_string(i)));
  });
  f.settle();
  REQUIRE(listener.seen.size() == 4);
  for (size_t i = 0; i < 4; ++i) CHECK(listener.seen[i] == "call.x|||" + kept[i]);
  const auto stats = f.bus.stats(id);
  REQUIRE(stats.ok());
  CHECK(const_cast<patchbay::Result<SubscriptionStats>&>(stats)->dropped == 6);
  REQUIRE(drops.seen.size() == 1);
  CHECK(drops.seen[0] == "core.bus.dropped||listener|{\"subscription\":" + std::to_string(id) +
                             ",\"pattern\":\"call.*\",\"dropped\":6,\"total\":6}");
}

TEST_CASE("Lost announcements are not announced") {
  Fixture f;
  Listener narrow, source;
  f.listen(narrow, {"*", "", 1, DropPolicy::oldest});
  for (int i = 0; i < 4; ++i) f.listen(source, {"call.x", "", 1, DropPolicy::oldest});
  f.strand->post([&] {
    for (int i = 0; i < 5; ++i) f.publish(event("call.x", "", "{}"));
  });
  f.settle();  // would not end if they were
  CHECK(narrow.seen.size() < 12);
}

TEST_CASE("Unsubscribed on its strand nothing more is heard and done follows") {
  Fixture f;
  Listener listener;
  bool done = false;
  const SubscriptionId id = f.listen(listener, {"*", "", 16, DropPolicy::oldest});
  f.strand->post([&] {
    f.publish(event("call.x", "", "{}"));
    CHECK(f.bus
              .unsubscribe(
                  id, [](void* user) { *static_cast<bool*>(user) = true; }, &done)
              .ok());
    f.publish(event("call.x", "", "{}"));
  });
  f.settle();
  CHECK(listener.seen.empty());
  CHECK(done);
}

TEST_CASE("A listener may unsubscribe itself and publish from inside") {
  struct Once {
    Fixture& f;
    SubscriptionId id = 0;
    int calls = 0;
  };
  Fixture f;
  Once once{f};
  Listener listener;
  f.listen(listener, {"reply.*", "", 16, DropPolicy::oldest});
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
  f.settle();
  CHECK(once.calls == 1);
  CHECK(listener.seen.size() == 1);
}

TEST_CASE("Listening on a strand that closed is harmless") {
  Fixture f;
  Listener listener;
  const SubscriptionId id = f.listen(listener, {"*", "", 16, DropPolicy::oldest});
  f.strand->close(nullptr, nullptr);
  f.settle();
  for (int i = 0; i < 40; ++i) f.publish(event("call.x", "", "{}"));
  bool done = false;
  CHECK(f.bus
            .unsubscribe(
                id, [](void* user) { *static_cast<bool*>(user) = true; }, &done)
            .ok());
  CHECK(done);
  CHECK(listener.seen.empty());
}

TEST_CASE("Waiting events are bounded in bytes, too") {
  Fixture f;
  Listener slow;
  f.listen(slow, {"big.*", "", 1024, DropPolicy::oldest});
  std::promise<void> release;
  f.strand->post([held = release.get_future().share()] { held.wait(); });
  const std::string payload(1 << 20, 'x');
  for (int i = 0; i < 40; ++i) f.publish(event("big.one", "call", payload));
  const auto stats = f.bus.owner_stats();
  REQUIRE(stats.count("listener") == 1);
  CHECK(stats.at("listener").queued < 17);
  CHECK(stats.at("listener").queued + stats.at("listener").dropped == 40);
  f.publish(event("big.one", "call", std::string(size_t{20} << 20, 'y')));  // alone it fits
  release.set_value();
  f.settle();
  CHECK(slow.seen.size() == 1);
}

TEST_CASE("A publisher may make so many topics and no more, and knows all others") {
  Fixture f;
  std::atomic<uint32_t> made{0};
  for (uint32_t i = 0; i < Bus::kMaxTopicsPerPublisher; ++i)
    CHECK(f.bus.may_publish("varies." + std::to_string(i), made).ok());
  CHECK(f.bus.may_publish("varies.0", made).ok());
  const auto refused = f.bus.may_publish("varies.more", made);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == Code::exhausted);
  std::atomic<uint32_t> of_another{0};
  CHECK(f.bus.may_publish("varies.more", of_another).ok());
  CHECK(f.bus.may_publish("varies.more", made).ok());
}

TEST_CASE("What ended subscriptions have lost is counted on") {
  Fixture f;
  Listener slow;
  const auto id = f.listen(slow, {"a.b", "", 1, DropPolicy::newest});
  std::promise<void> release;
  f.strand->post([held = release.get_future().share()] { held.wait(); });
  for (int i = 0; i < 3; ++i) f.publish(event("a.b", "s", "{}"));
  CHECK(f.bus.owner_stats().at("listener").dropped == 2);
  CHECK(f.bus.unsubscribe(id).ok());
  CHECK(f.bus.owner_stats().at("listener").dropped == 2);
  release.set_value();
  f.settle();
}
