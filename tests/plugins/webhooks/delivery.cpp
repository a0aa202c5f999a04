// What is delivered, and how.
#include <algorithm>
#include <cstdlib>

#include "delivery_fixture.h"
#include "support/linked_plugin.h"

using namespace webhooks_test;
using namespace std::chrono_literals;

namespace {

// Adds pending events that are larger than emit() allows, as an earlier version may have stored them.
void add_large_events(const TestServer& server, int count, int bytes) {
  const std::string numbers = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < " +
                              std::to_string(count) + ") ";
  run_sql(server,
          "BEGIN; " + numbers +
              "INSERT INTO core_event (id, topic, tenant, tenant_seq, subject, correlation, ts_ms, payload) "
              "SELECT i, 'call.ended', 'a.example', 1000 + i, 'oac-' || i, '', 0, '{\"large\":\"" +
              std::string(static_cast<size_t>(bytes), '0') + "\"}' FROM n; " + numbers +
              "INSERT INTO core_pending (consumer, event_id) SELECT 'webhooks/webhooks', i FROM n; COMMIT");
}

class TestEmitter final : public Plugin {
 public:
  static constexpr char manifest[] =
      R"({"id": "impostor", "version": "0.1.0", "emits": [{"topic": "webhook.test", "schema": {}}],
          "config": {"plugin": {"type": "object", "properties": {}}}})";
  static constexpr char store_sql[] = "";

 private:
  Status start(const Config&) override { return {}; }
  void stop(Done done) override { done(); }
};

}  // namespace

TEST_CASE("an event arrives once, signed as the specification says") {
  DeliveryFixture fixture;
  fixture.emit("call.ended", "oac-1", R"({"callId":"oac-1","number":"+4912","name":"Zoë"})");
  fixture.emit("call.ended", "oac-2", "{}", "b.example");
  fixture.emit("hello.greeted", "x", "{}");
  fixture.emit("transcript.saved", "oac-1", R"({"callId":"oac-1"})");
  const auto got = fixture.receiver.wait_for(2);
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
  CHECK(fixture.subscriptions_say(R"("lastFiredUtc":"2023-11-14T22:13:20.000Z","failures":0)"));
  CHECK(fixture.server.log().find(kSecret) == std::string::npos);
}

TEST_CASE("an event of a third-party plugin is delivered, an internal one is not") {
  DeliveryFixture fixture;
  fixture.emit("probe.internal", "x", "{}");
  fixture.emit("probe.noted", "x", R"({"text":"hello"})");
  const auto got = fixture.receiver.wait_for(1);
  REQUIRE(got.size() == 1);
  CHECK(got[0].header("x-platform-event") == "probe.noted");
  CHECK(got[0].body.find(R"("data":{"text":"hello"})") != std::string::npos);
}

// As when the deletion commits between the look at the registry and the delivery's commit.
TEST_CASE("a subscription that was deleted meanwhile gets no delivery") {
  const WebhookReceiver deleted{receiver_options()}, kept{receiver_options()};
  TestServer server(yaml({deleted.url(), kept.url()}), nullptr, {probe::entry()});
  REQUIRE(server.start_error() == "");
  const std::string list = probe::call({"GET", "/api.ashx/v1/webhooks"}).body;
  const std::string id =
      text_member(list.substr(list.rfind("{\"id\"", list.find("\"" + deleted.url() + "\""))), "id");
  run_sql(server, "DELETE FROM webhooks_subscription WHERE id = '" + id + "'");
  CHECK(probe::emit({"call.ended", "a.example", "oac-1", "", "{}"}));
  CHECK(kept.wait_for(1).size() == 1);
  const auto deliveries = probe::call({"GET", "/api.ashx/v1/admin/webhooks/" + id + "/deliveries"});
  CHECK(deliveries.status == 200);
  CHECK(deliveries.body.find(R"("data":[])") != std::string::npos);
  CHECK(deleted.deliveries().empty());
}

TEST_CASE("first attempts about one subject keep the order of the events") {
  DeliveryFixture fixture;
  for (int i = 0; i < 60; ++i) {
    const std::string number = std::to_string(i);
    fixture.emit("room.peer.joined", "room-" + std::to_string(i % 2), "{\"n\":" + number + "}");
  }
  const auto got = fixture.receiver.wait_for(60);
  REQUIRE(got.size() == 60);
  int last[2] = {-1, -1};
  for (const auto& delivery : got) {
    const int n = std::atoi(delivery.body.c_str() + delivery.body.find("\"n\":") + 4);
    CHECK(n > last[n % 2]);
    last[n % 2] = n;
  }
}

TEST_CASE("a backlog of large events is stored in parts") {
  DeliveryFixture fixture;
  add_large_events(fixture.server, 40, 1 << 20);  // a transaction holds 32 MiB
  fixture.emit("call.ended", "oac-last", "{}");   // so that webhooks reads the log
  CHECK(fixture.receiver.wait_for(41).size() == 41);
}

TEST_CASE("large pending deliveries are sent in parts") {
  DeliveryFixture fixture;
  const std::string path = "/api.ashx/v1/admin/webhooks/" + fixture.subscription_id();
  CHECK(probe::call({"PATCH", path, R"({"active":false})"}).status == 200);
  add_large_events(fixture.server, 24, 3 << 20);  // the result of a query has at most 64 MiB
  fixture.emit("call.ended", "oac-last", "{}");
  CHECK(probe::eventually([&] { return occurrences(fixture.deliveries(), "\"state\":\"pending\"") == 25; }));
  CHECK(probe::call({"PATCH", path, R"({"active":true})"}).status == 200);
  CHECK(fixture.receiver.wait_for(25).size() == 25);
}

TEST_CASE("an event whose payload is no JSON object is not delivered") {
  DeliveryFixture fixture;
  for (const char* payload : {R"(1,"tenant":"other.example")", R"({},"tenant":"other.example")", "[]", "1",
                              R"({"a":1,"a":2})", R"({"a":)", "text"})
    fixture.emit("call.ended", "oac-1", payload);
  fixture.emit("call.ended", "oac-2", R"( {"n": 12345678901234567890} )");
  fixture.emit("call.ended", "oac-3", "");
  const auto got = fixture.receiver.wait_for(2);
  REQUIRE(got.size() == 2);
  for (const WebhookDelivery& delivery : got) CHECK(delivery.body.find("other.example") == std::string::npos);
  const auto is_whole = [](const WebhookDelivery& delivery) {
    return delivery.body.find(R"("data": {"n": 12345678901234567890} })") != std::string::npos;
  };
  CHECK(std::count_if(got.begin(), got.end(), is_whole) == 1);
  CHECK(fixture.server.core().report("metrics").find("patchbay_webhooks_events_dropped 7\n") !=
        std::string::npos);
  const std::string log = fixture.server.log();
  const size_t line = log.find("an event is not delivered, because its payload is no JSON object");
  REQUIRE(line != std::string::npos);
  const std::string fields = log.substr(line, log.find('\n', line) - line);
  CHECK(fields.find("call.ended") != std::string::npos);
  CHECK(fields.find("probe") != std::string::npos);
}

TEST_CASE("a plugin's event with the name webhook.test is not delivered") {
  WebhookReceiver receiver(receiver_options());
  core::ManualClock clock;
  std::string text = yaml({receiver.url()});
  text.replace(text.find("probe: {}"), 9, "probe: {}, impostor: {}");
  TestServer server(text, &clock, {probe::entry(), &LinkedPlugin<TestEmitter>::entry});
  REQUIRE(server.start_error() == "");
  CHECK(server.log().find("a plugin's event has the reserved name webhook.test") != std::string::npos);
  CHECK(probe::emit({"webhook.test", "a.example", "x", "", "{}"}));
  CHECK(probe::emit({"call.ended", "a.example", "x", "", "{}"}));
  const auto got = receiver.wait_for(1);
  REQUIRE(got.size() == 1);
  CHECK(got[0].header("x-platform-event") == "call.ended");
}

TEST_CASE("metrics count pending deliveries and paused subscriptions") {
  DeliveryFixture fixture;
  const std::string path = "/api.ashx/v1/admin/webhooks/" + fixture.subscription_id();
  CHECK(probe::call({"PATCH", path, R"({"active":false})"}).status == 200);
  fixture.emit("call.ended", "oac-1", "{}");
  CHECK(fixture.deliveries_say("\"state\":\"pending\""));
  const auto shows = [&](const char* line) {
    return fixture.server.core().report("metrics").find(line) != std::string::npos;
  };
  CHECK(probe::eventually([&] {
    fixture.clock.advance(15s);
    return shows("patchbay_webhooks_pending 1\n") && shows("patchbay_webhooks_subscriptions_paused 1\n") &&
           !shows("patchbay_webhooks_overdue_seconds 0\n");
  }));
  CHECK(probe::eventually([&] { return shows("patchbay_webhooks_in_flight 0\n"); }));
}
