#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "runtime/manual_clock.h"
#include "support/probe_client.h"
#include "support/server.h"
#include "support/webhook_receiver.h"

using namespace patchbay;
using namespace patchbay::test;
using probe::text_member;
using namespace std::chrono_literals;

namespace {

constexpr const char* kSecret = "a-secret-of-the-tests";

std::string yaml(const std::vector<std::string>& urls, const std::string& events = "[\"*\"]") {
  std::string text = "plugins: {probe: {}, webhooks: {}}\ntenants:\n  a.example:\n    primary: true\n";
  text += "    webhooks:\n      allowPrivateReceivers: true\n      subscriptions:\n";
  for (const std::string& url : urls)
    text += "        - {url: \"" + url + "\", events: " + events + ", secret: " + kSecret + "}\n";
  return text + "  b.example: {}\n";
}

WebhookReceiver::Options receiver_options() {
  WebhookReceiver::Options options;
  options.secret = kSecret;
  return options;
}

// A server on a driven clock, and its receiver.
struct World {
  explicit World(std::vector<WebhookAnswer> answers = {}) {
    receiver.answer_next(std::move(answers));
    CHECK(server.start_error() == "");
  }
  void emit(const std::string& topic, const std::string& subject, const std::string& payload,
            const std::string& tenant = "a.example") {
    CHECK(probe::emit({topic, tenant, subject, "", payload}));
  }
  http::Response get(const std::string& path) { return probe::call({"GET", path}); }
  std::string subscriptions() { return get("/api.ashx/v1/webhooks").body; }
  std::string subscription_id() { return text_member(subscriptions(), "id"); }
  std::string deliveries() {
    return get("/api.ashx/v1/admin/webhooks/" + subscription_id() + "/deliveries").body;
  }
  // Until the list of deliveries, or of subscriptions, says so.
  bool deliveries_say(const std::string& text) {
    return probe::eventually([&] { return deliveries().find(text) != std::string::npos; });
  }
  bool subscriptions_say(const std::string& text) {
    return probe::eventually([&] { return subscriptions().find(text) != std::string::npos; });
  }
  core::ManualClock clock;
  WebhookReceiver receiver{receiver_options()};
  TestServer server{yaml({receiver.url()}), &clock, {probe::entry()}};
};

}  // namespace

TEST_CASE("an event arrives once, signed, as the specification has it") {
  World world;
  world.emit("call.ended", "oac-1", R"({"callId":"oac-1","number":"+4912","name":"Zoë"})");
  world.emit("call.ended", "oac-2", "{}", "b.example");
  world.emit("hello.greeted", "x", "{}");
  world.emit("transcript.saved", "oac-1", R"({"callId":"oac-1"})");
  const auto got = world.receiver.wait_for(2);
  REQUIRE(got.size() == 2);
  CHECK(
      got[0].body ==
      R"({"event":"call.ended","tenant":"a.example","ts":"2023-11-14T22:13:20.000Z","data":{"callId":"oac-1","number":"+4912","name":"Zoë"}})");
  CHECK(got[0].header("x-platform-event") == "call.ended");
  CHECK(got[0].header("x-platform-attempt") == "1");
  CHECK(got[0].header("x-platform-delivery-id").size() == 32);
  CHECK(got[0].header("x-platform-timestamp") == "1700000000");
  CHECK(got[0].header("content-type") == "application/json");
  CHECK(got[0].signature_ok);
  CHECK(got[0].signature_v2_ok);
  CHECK(got[1].header("x-platform-event") == "transcript.saved");
  CHECK(got[1].header("x-platform-delivery-id") != got[0].header("x-platform-delivery-id"));
  CHECK(world.subscriptions_say(R"("lastFiredUtc":"2023-11-14T22:13:20.000Z","failures":0)"));
  CHECK(world.server.log().find(kSecret) == std::string::npos);
}

TEST_CASE("an event that only another plugin's manifest names is delivered, an internal one is not") {
  World world;
  world.emit("probe.internal", "x", "{}");
  world.emit("probe.noted", "x", R"({"text":"hello"})");
  const auto got = world.receiver.wait_for(1);
  REQUIRE(got.size() == 1);
  CHECK(got[0].header("x-platform-event") == "probe.noted");
  CHECK(got[0].body.find(R"("data":{"text":"hello"})") != std::string::npos);
}

TEST_CASE("four attempts leave at 0, 5, 35 and 155 s with the same bytes") {
  World world;
  world.receiver.answer_always(WebhookAnswer::error);
  world.emit("call.ended", "oac-1", R"({"callId":"oac-1"})");
  CHECK(world.receiver.wait_for(1).size() == 1);
  size_t count = 1;
  int64_t at_ms = 0;
  for (const int64_t due_ms : {5'000, 35'000, 155'000}) {
    CHECK(world.deliveries_say("\"attempts\":" + std::to_string(count)));
    world.clock.advance(std::chrono::milliseconds(due_ms - 10 - at_ms));
    CHECK(world.receiver.wait_for(count + 1, 100ms).size() == count);
    world.clock.advance(20ms);
    at_ms = due_ms + 10;
    CHECK(world.receiver.wait_for(++count).size() == count);
  }
  CHECK(world.deliveries_say(R"("state":"failed","attempts":4)"));
  const auto got = world.receiver.deliveries();
  REQUIRE(got.size() == 4);
  for (size_t i = 0; i < got.size(); ++i) {
    CHECK(got[i].body == got[0].body);
    CHECK(got[i].header("x-platform-delivery-id") == got[0].header("x-platform-delivery-id"));
    CHECK(got[i].header("x-platform-signature") == got[0].header("x-platform-signature"));
    CHECK(got[i].header("x-platform-attempt") == std::to_string(i + 1));
    CHECK(got[i].signature_v2_ok);
  }
  CHECK(world.subscriptions_say("\"failures\":1"));
  world.clock.advance(std::chrono::hours(1));
  CHECK(world.receiver.wait_for(5, 100ms).size() == 4);
}

TEST_CASE("a retry that succeeds ends the delivery and the count of failures") {
  World world({WebhookAnswer::error, WebhookAnswer::redirect});
  world.emit("call.ended", "oac-1", "{}");
  CHECK(world.deliveries_say("\"attempts\":1"));
  world.clock.advance(5s);
  CHECK(world.deliveries_say("\"attempts\":2"));
  CHECK(world.deliveries().find("answered 301") != std::string::npos);
  world.clock.advance(30s);
  CHECK(world.deliveries_say(R"("state":"delivered","attempts":3)"));
  CHECK(world.receiver.deliveries().size() == 3);
}

TEST_CASE("a delivery that fails does not hold others back") {
  World world({WebhookAnswer::error});
  world.emit("call.started", "oac-1", "{}");
  world.emit("call.ended", "oac-1", "{}");
  const auto got = world.receiver.wait_for(2);
  REQUIRE(got.size() == 2);
  CHECK(got[0].header("x-platform-event") == "call.started");
  CHECK(got[1].header("x-platform-event") == "call.ended");
}

TEST_CASE("first attempts about one subject keep the order of the events") {
  World world;
  for (int i = 0; i < 60; ++i) {
    const std::string number = std::to_string(i);
    world.emit("room.peer.joined", "room-" + std::to_string(i % 2), "{\"n\":" + number + "}");
  }
  const auto got = world.receiver.wait_for(60);
  REQUIRE(got.size() == 60);
  int last[2] = {-1, -1};
  for (const auto& delivery : got) {
    const int n = std::atoi(delivery.body.c_str() + delivery.body.find("\"n\":") + 4);
    CHECK(n > last[n % 2]);
    last[n % 2] = n;
  }
}

TEST_CASE("what was pending is sent after a restart, under the same id") {
  World world({WebhookAnswer::error});
  world.emit("call.ended", "oac-1", "{}");
  CHECK(world.deliveries_say("\"attempts\":1"));
  world.server.restart();
  CHECK(world.server.start_error() == "");
  world.clock.advance(5s);
  const auto got = world.receiver.wait_for(2);
  REQUIRE(got.size() == 2);
  CHECK(got[1].header("x-platform-attempt") == "2");
  CHECK(got[1].header("x-platform-delivery-id") == got[0].header("x-platform-delivery-id"));
  CHECK(got[1].body == got[0].body);
  CHECK(world.deliveries_say(R"("state":"delivered")"));
}

TEST_CASE("20 failed deliveries in a row pause a subscription, and what it misses is kept") {
  World world;
  world.receiver.answer_always(WebhookAnswer::error);
  for (int i = 0; i < 20; ++i) world.emit("call.ended", "oac-" + std::to_string(i), "{}");
  size_t attempts = 20;
  CHECK(world.receiver.wait_for(attempts).size() == attempts);
  for (const auto gap : {5s, 30s, 120s}) {
    // Every outcome of the round before is in the store once nothing is left to be tried at that count.
    const std::string made = "\"attempts\":" + std::to_string(attempts / 20 - 1) + ",";
    CHECK(probe::eventually([&] { return world.deliveries().find(made) == std::string::npos; }));
    world.clock.advance(gap);
    attempts += 20;
    CHECK(world.receiver.wait_for(attempts).size() == attempts);
  }
  CHECK(world.subscriptions_say("\"active\":false"));
  CHECK(world.subscriptions().find("\"failures\":20") != std::string::npos);

  world.emit("call.ended", "oac-paused", "{}");
  CHECK(world.deliveries_say("\"state\":\"pending\""));
  CHECK(world.receiver.wait_for(attempts + 1, 200ms).size() == attempts);

  world.receiver.answer_always(WebhookAnswer::ok);
  const std::string path = "/api.ashx/v1/admin/webhooks/" + world.subscription_id();
  const auto changed = probe::call({"PATCH", path, R"({"active":true})"});
  CHECK(changed.status == 200);
  CHECK(changed.body.find(R"("active":true)") != std::string::npos);
  CHECK(changed.body.find(R"("failures":0)") != std::string::npos);
  CHECK(world.receiver.wait_for(attempts + 1).size() == attempts + 1);
}

TEST_CASE("a paused subscription's deliveries are given up after 24 h") {
  World world;
  const std::string path = "/api.ashx/v1/admin/webhooks/" + world.subscription_id();
  CHECK(probe::call({"PATCH", path, R"({"active":false})"}).status == 200);
  world.emit("call.ended", "oac-1", "{}");
  CHECK(world.deliveries_say("\"state\":\"pending\""));
  world.clock.advance(std::chrono::hours(23));
  CHECK(world.deliveries().find("\"state\":\"pending\"") != std::string::npos);
  world.clock.advance(std::chrono::hours(1));
  CHECK(probe::eventually([&] {
    world.clock.advance(61s);  // Retention runs every minute
    return world.deliveries().find("\"state\":\"expired\"") != std::string::npos;
  }));
  CHECK(world.receiver.deliveries().empty());
}

TEST_CASE("what waits and what is paused can be seen in the metrics") {
  World world;
  const std::string path = "/api.ashx/v1/admin/webhooks/" + world.subscription_id();
  CHECK(probe::call({"PATCH", path, R"({"active":false})"}).status == 200);
  world.emit("call.ended", "oac-1", "{}");
  CHECK(world.deliveries_say("\"state\":\"pending\""));
  const auto shows = [&](const char* line) {
    return world.server.core().report("metrics").find(line) != std::string::npos;
  };
  CHECK(probe::eventually([&] {
    world.clock.advance(15s);
    return shows("patchbay_webhooks_pending 1\n") && shows("patchbay_webhooks_subscriptions_paused 1\n") &&
           !shows("patchbay_webhooks_overdue_seconds 0\n");
  }));
  CHECK(shows("patchbay_webhooks_in_flight 0\n"));
}

TEST_CASE("a receiver at a private address is refused without the tenant's leave") {
  WebhookReceiver receiver(receiver_options());
  core::ManualClock clock;
  std::string text = yaml({"http://loopback.invalid/"});
  text.replace(text.find("allowPrivateReceivers: true"), 27, "allowPrivateReceivers: false");
  // A name that resolves to a loopback address gets by the check of the URL.
  char name[256] = {};
  REQUIRE(gethostname(name, sizeof name - 1) == 0);
  text.replace(text.find("loopback.invalid"), 16, std::string(name) + ":" + std::to_string(receiver.port()));
  TestServer server(text, &clock, {probe::entry()});
  REQUIRE(server.start_error() == "");
  CHECK(probe::emit({"call.ended", "a.example", "oac-1", "", "{}"}));
  const auto list = [] { return probe::call({"GET", "/api.ashx/v1/webhooks"}).body; };
  const std::string deliveries = "/api.ashx/v1/admin/webhooks/" + text_member(list(), "id") + "/deliveries";
  CHECK(probe::eventually([&] {
    const std::string body = probe::call({"GET", deliveries}).body;
    return body.find("the host has no address that may be used") != std::string::npos;
  }));
  CHECK(receiver.deliveries().empty());
}

TEST_CASE("one tenant's receivers that hang do not delay another tenant's") {
  WebhookReceiver tarpit({}), receiver(receiver_options());
  tarpit.answer_always(WebhookAnswer::hang);
  std::string text = "plugins: {probe: {}, webhooks: {maxInFlight: 4}}\ntenants:\n";
  for (const char* tenant : {"a.example", "b.example"}) {
    text += "  " + std::string(tenant) + ":\n    primary: " + (tenant[0] == 'a' ? "true" : "false") + "\n" +
            "    webhooks:\n      allowPrivateReceivers: true\n      subscriptions:\n";
    for (int i = 0; i < (tenant[0] == 'a' ? 1 : 70); ++i)
      text += "        - {url: \"" +
              (tenant[0] == 'a' ? receiver.url() : tarpit.url("/" + std::to_string(i))) +
              "\", secret: " + kSecret + "}\n";
  }
  core::ManualClock clock;
  TestServer server{text, &clock, {probe::entry()}};
  REQUIRE(server.start_error() == "");
  for (int i = 0; i < 4; ++i)
    CHECK(probe::emit({"call.ended", "b.example", "s" + std::to_string(i), "", "{}"}));
  CHECK(tarpit.wait_for(64, 60s).size() >= 64);
  CHECK(probe::emit({"call.ended", "a.example", "x", "", "{}"}));
  CHECK(receiver.wait_for(1, 60s).size() == 1);
  // Without the share all slots would be the tarpit's. An attempt is given up after 10 s, and others follow.
  const auto hanging = tarpit.deliveries();
  CHECK(std::count_if(hanging.begin(), hanging.end(), [&](const WebhookDelivery& each) {
          return each.time_ms < hanging.front().time_ms + 4000;
        }) <= 64);
}
