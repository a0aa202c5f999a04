#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <set>

#include "runtime/manual_clock.h"
#include "support/linked_plugin.h"
#include "support/probe_requests.h"
#include "support/test_server.h"
#include "support/test_store.h"
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

// A server with a manual clock, and a receiver.
struct DeliveryFixture {
  explicit DeliveryFixture(std::vector<WebhookAnswer> answers = {}) {
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
  // Waits until the list of deliveries, or of subscriptions, contains the text.
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

// Runs SQL on any table of the server's database.
void run_sql(const TestServer& server, const std::string& sql) {
  const Status done = test::run_sql(server.data() / "patchbay.db", sql);
  INFO((done ? "" : done.error().text));
  CHECK(done.ok());
}

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

size_t occurrences(const std::string& text, const std::string& of) {
  size_t count = 0;
  for (size_t at = text.find(of); at != std::string::npos; at = text.find(of, at + of.size())) ++count;
  return count;
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

TEST_CASE("four attempts are sent at 0, 5, 35 and 155 s with the same bytes") {
  DeliveryFixture fixture;
  fixture.receiver.answer_always(WebhookAnswer::error);
  fixture.emit("call.ended", "oac-1", R"({"callId":"oac-1"})");
  CHECK(fixture.receiver.wait_for(1).size() == 1);
  size_t count = 1;
  int64_t at_ms = 0;
  for (const int64_t due_ms : {5'000, 35'000, 155'000}) {
    CHECK(fixture.deliveries_say("\"attempts\":" + std::to_string(count)));
    fixture.clock.advance(std::chrono::milliseconds(due_ms - 10 - at_ms));
    CHECK(fixture.receiver.wait_for(count + 1, 100ms).size() == count);
    fixture.clock.advance(20ms);
    at_ms = due_ms + 10;
    CHECK(fixture.receiver.wait_for(++count).size() == count);
  }
  CHECK(fixture.deliveries_say(R"("state":"failed","attempts":4)"));
  const auto got = fixture.receiver.deliveries();
  REQUIRE(got.size() == 4);
  for (size_t i = 0; i < got.size(); ++i) {
    CHECK(got[i].body == got[0].body);
    CHECK(got[i].header("x-platform-delivery-id") == got[0].header("x-platform-delivery-id"));
    CHECK(got[i].header("x-platform-signature") == got[0].header("x-platform-signature"));
    CHECK(got[i].header("x-platform-attempt") == std::to_string(i + 1));
    CHECK(got[i].signature_v2_ok);
  }
  CHECK(fixture.subscriptions_say("\"failures\":1"));
  fixture.clock.advance(std::chrono::hours(1));
  CHECK(fixture.receiver.wait_for(5, 100ms).size() == 4);
}

TEST_CASE("a retry that succeeds ends the delivery and resets the failures") {
  DeliveryFixture fixture({WebhookAnswer::error, WebhookAnswer::redirect});
  fixture.emit("call.ended", "oac-1", "{}");
  CHECK(fixture.deliveries_say("\"attempts\":1"));
  fixture.clock.advance(5s);
  CHECK(fixture.deliveries_say("\"attempts\":2"));
  CHECK(fixture.deliveries().find("answered 301") != std::string::npos);
  fixture.clock.advance(30s);
  CHECK(fixture.deliveries_say(R"("state":"delivered","attempts":3)"));
  CHECK(fixture.receiver.deliveries().size() == 3);
}

TEST_CASE("a delivery that fails does not delay others") {
  DeliveryFixture fixture({WebhookAnswer::error});
  fixture.emit("call.started", "oac-1", "{}");
  fixture.emit("call.ended", "oac-1", "{}");
  const auto got = fixture.receiver.wait_for(2);
  REQUIRE(got.size() == 2);
  CHECK(got[0].header("x-platform-event") == "call.started");
  CHECK(got[1].header("x-platform-event") == "call.ended");
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

TEST_CASE("pending deliveries are sent after a restart, under the same id") {
  DeliveryFixture fixture({WebhookAnswer::error});
  fixture.emit("call.ended", "oac-1", "{}");
  CHECK(fixture.deliveries_say("\"attempts\":1"));
  fixture.server.restart();
  CHECK(fixture.server.start_error() == "");
  fixture.clock.advance(5s);
  const auto got = fixture.receiver.wait_for(2);
  REQUIRE(got.size() == 2);
  CHECK(got[1].header("x-platform-attempt") == "2");
  CHECK(got[1].header("x-platform-delivery-id") == got[0].header("x-platform-delivery-id"));
  CHECK(got[1].body == got[0].body);
  CHECK(fixture.deliveries_say(R"("state":"delivered")"));
}

TEST_CASE("20 consecutive failed deliveries pause a subscription, and its deliveries are kept") {
  DeliveryFixture fixture;
  fixture.receiver.answer_always(WebhookAnswer::error);
  for (int i = 0; i < 20; ++i) fixture.emit("call.ended", "oac-" + std::to_string(i), "{}");
  // Failed attempts are recorded together at intervals, so the clock must go on.
  const auto wait_until = [&](auto holds) {
    return probe::eventually([&] {
      fixture.clock.advance(20ms);
      return holds();
    });
  };
  size_t attempts = 20;
  CHECK(wait_until([&] { return fixture.receiver.deliveries().size() == attempts; }));
  for (const auto gap : {5s, 30s, 120s}) {
    // All outcomes of the previous round are recorded once no delivery has that count of attempts.
    const std::string made = "\"attempts\":" + std::to_string(attempts / 20 - 1) + ",";
    CHECK(wait_until([&] { return fixture.deliveries().find(made) == std::string::npos; }));
    fixture.clock.advance(gap);
    attempts += 20;
    CHECK(wait_until([&] { return fixture.receiver.deliveries().size() == attempts; }));
  }
  CHECK(fixture.subscriptions_say("\"active\":false"));
  CHECK(fixture.subscriptions().find("\"failures\":20") != std::string::npos);

  fixture.emit("call.ended", "oac-paused", "{}");
  CHECK(fixture.deliveries_say("\"state\":\"pending\""));
  CHECK(fixture.receiver.wait_for(attempts + 1, 200ms).size() == attempts);

  fixture.receiver.answer_always(WebhookAnswer::ok);
  const std::string path = "/api.ashx/v1/admin/webhooks/" + fixture.subscription_id();
  const auto changed = probe::call({"PATCH", path, R"({"active":true})"});
  CHECK(changed.status == 200);
  CHECK(changed.body.find(R"("active":true)") != std::string::npos);
  CHECK(changed.body.find(R"("failures":0)") != std::string::npos);
  CHECK(fixture.receiver.wait_for(attempts + 1).size() == attempts + 1);
}

TEST_CASE("a paused subscription's deliveries are dropped after 24 h") {
  DeliveryFixture fixture;
  const std::string path = "/api.ashx/v1/admin/webhooks/" + fixture.subscription_id();
  CHECK(probe::call({"PATCH", path, R"({"active":false})"}).status == 200);
  fixture.emit("call.ended", "oac-1", "{}");
  CHECK(fixture.deliveries_say("\"state\":\"pending\""));
  fixture.clock.advance(std::chrono::hours(23));
  CHECK(fixture.deliveries().find("\"state\":\"pending\"") != std::string::npos);
  fixture.clock.advance(std::chrono::hours(1));
  CHECK(probe::eventually([&] {
    fixture.clock.advance(61s);  // Retention runs every minute
    return fixture.deliveries().find("\"state\":\"expired\"") != std::string::npos;
  }));
  CHECK(fixture.receiver.deliveries().empty());
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

TEST_CASE("a receiver at a private address is refused without allowPrivateReceivers") {
  WebhookReceiver receiver(receiver_options());
  core::ManualClock clock;
  std::string text = yaml({"http://loopback.invalid/"});
  text.replace(text.find("allowPrivateReceivers: true"), 27, "allowPrivateReceivers: false");
  // A name that resolves to a loopback address passes the check of the URL.
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

TEST_CASE("receivers of one tenant that hang do not delay those of another") {
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
  // Without the limit each would get maxInFlight. An attempt times out after 10 s, and others follow.
  const auto hanging = tarpit.deliveries();
  CHECK(std::count_if(hanging.begin(), hanging.end(), [&](const WebhookDelivery& each) {
          return each.time_ms < hanging.front().time_ms + 4000;
        }) <= 100);
}

TEST_CASE(
    "50 receivers that hang, drip, redirect, reset, answer 500 or without an end do not delay another one") {
  constexpr int kHostile = 50, kEvents = 20;
  constexpr WebhookAnswer kFaults[] = {WebhookAnswer::hang,  WebhookAnswer::drip,  WebhookAnswer::redirect,
                                       WebhookAnswer::reset, WebhookAnswer::error, WebhookAnswer::huge};
  std::vector<std::unique_ptr<WebhookReceiver>> hostile;
  std::vector<std::string> urls;
  WebhookReceiver healthy(receiver_options());
  for (int i = 0; i < kHostile; ++i) {
    hostile.push_back(std::make_unique<WebhookReceiver>(WebhookReceiver::Options{}));
    hostile.back()->answer_always(kFaults[i % std::size(kFaults)]);
    urls.push_back(hostile.back()->url());
  }
  urls.push_back(healthy.url());
  TestServer server{yaml(urls, "[call.ended]"), nullptr, {probe::entry()}};
  REQUIRE(server.start_error() == "");
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kEvents; ++i) {
    CHECK(probe::emit({"call.ended", "a.example", "s" + std::to_string(i), "", "{}"}));
    CHECK(healthy.wait_for(static_cast<size_t>(i) + 1).size() == static_cast<size_t>(i) + 1);
  }
  // One request that hangs takes 10 s. bench-webhooks measures the delays.
  CHECK(std::chrono::steady_clock::now() - begin < 9s);
  std::set<std::string> ids;
  for (const WebhookDelivery& delivery : healthy.deliveries())
    ids.insert(delivery.header("x-platform-delivery-id"));
  CHECK(ids.size() == kEvents);
  // Nothing is lost: each hostile receiver was asked, and its deliveries wait or have arrived.
  for (const auto& each : hostile) CHECK(each->wait_for(1).size() >= 1);
  const std::string list = probe::call({"GET", "/api.ashx/v1/webhooks", {}, {}, "a.example", 100}).body;
  const std::string id = "\"id\":\"";
  size_t subscriptions = 0;
  for (size_t at = list.find(id); at != std::string::npos; at = list.find(id, at + 1), ++subscriptions) {
    const std::string path = "/api.ashx/v1/admin/webhooks/" + list.substr(at + id.size(), 16) + "/deliveries";
    std::string body;
    // The last ones are stored after those of the quick receiver.
    CHECK(probe::eventually([&] {
      body = probe::call({"GET", path, {}, {}, "a.example", 100}).body;
      return occurrences(body, "\"state\":") == kEvents;
    }));
    INFO(body);
    CHECK(occurrences(body, "\"failed\"") == 0);
  }
  CHECK(subscriptions == kHostile + 1);
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

TEST_CASE("an attempt whose record fails is not sent again at once") {
  DeliveryFixture fixture;
  run_sql(fixture.server,
          on_postgres() ? "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION "
                          "$$failing$$; END'; CREATE TRIGGER failing BEFORE UPDATE ON webhooks_delivery "
                          "EXECUTE FUNCTION fail()"
                        : "CREATE TRIGGER failing BEFORE UPDATE ON webhooks_delivery "
                          "BEGIN SELECT json('text'); END");
  fixture.emit("call.ended", "oac-1", "{}");
  CHECK(fixture.receiver.wait_for(2, 500ms).size() == 1);
  CHECK(probe::eventually(
      [&] { return fixture.server.log().find("an attempt cannot be recorded") != std::string::npos; }));
  run_sql(fixture.server,
          on_postgres() ? "DROP TRIGGER failing ON webhooks_delivery" : "DROP TRIGGER failing");
  CHECK(probe::eventually([&] {
    fixture.clock.advance(1s);
    return fixture.deliveries().find(R"("state":"delivered","attempts":1)") != std::string::npos;
  }));
  CHECK(fixture.receiver.deliveries().size() == 1);
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
