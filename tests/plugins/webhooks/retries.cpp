// Attempts after the first one, and subscriptions that are paused.
#include <chrono>

#include "delivery_fixture.h"

using namespace webhooks_test;
using namespace std::chrono_literals;

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
