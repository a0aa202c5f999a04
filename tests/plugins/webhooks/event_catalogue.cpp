#include "event_catalogue.h"

#include <doctest/doctest.h>

using namespace patchbay::webhooks;

TEST_CASE("subscriptions may name the events of plugins and of the specification") {
  const EventCatalogue catalogue({{"note.added", "notes"}, {"call.started", "calls"}});
  CHECK(catalogue.check({"note.added", "call.started", "webhook.test"}).ok());
  CHECK(catalogue.check({"*"}).ok());
  for (const char* name : {"call.started",
                           "call.answered",
                           "call.transferred",
                           "call.ended",
                           "outbound-ai.finished",
                           "transcript.saved",
                           "share.created",
                           "share.viewed",
                           "share.revoked",
                           "room.cascade.promoted",
                           "room.cascade.demoted",
                           "room.cascade.failed",
                           "room.peer.joined",
                           "room.peer.left",
                           "room.bandwidth.degraded",
                           "sfu.offer.received",
                           "sfu.publisher.connected",
                           "sfu.subscribe.received",
                           "sfu.subscriber.connected",
                           "room.client.preference.changed",
                           "webhook.test"}) {
    CAPTURE(name);
    CHECK(catalogue.check({name}).ok());
  }
}

TEST_CASE("the error for an event that no plugin emits has its position and the known events, not its name") {
  const EventCatalogue catalogue({{"note.added", "notes"}, {"call.started", "calls"}});
  const auto status = catalogue.check({"call.started", "note.removed"});
  REQUIRE_FALSE(status.ok());
  CHECK(
      status.error().text ==
      "events[1] is not the name of an event; known are call.started, note.added, webhook.test or * for all");
  CHECK_FALSE(catalogue.check({"Call.Started"}).ok());
  for (const char* no_name : {"call.*", "", "x\ny", "<script>"}) {
    const auto refused = catalogue.check({no_name});
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().text.find("events[0] is not the name of an event; known are ") == 0);
  }
}

TEST_CASE("events of the specification that no plugin emits are listed") {
  const EventCatalogue catalogue({EmittedEvent{"call.started", "calls"}});
  const std::vector<std::string> events{"call.started", "share.viewed", "webhook.test", "*",
                                        "room.peer.left"};
  CHECK(catalogue.not_emitted(events) == std::vector<std::string_view>{"share.viewed", "room.peer.left"});
  CHECK(EventCatalogue({}).patterns().empty());
  CHECK(EventCatalogue({{"b.c", "b"}, {"a.b", "a"}}).patterns() == "a.b b.c");
}

TEST_CASE("a plugin's event with the name webhook.test is ignored, because only webhooks makes it") {
  const EventCatalogue catalogue({{"webhook.test", "impostor"}, {"a.b", "a"}});
  CHECK(catalogue.patterns() == "a.b");
  CHECK(catalogue.test_emitter() == "impostor");
  CHECK(catalogue.names() == "a.b, webhook.test or * for all");
  CHECK(catalogue.emitter("a.b") == "a");
  CHECK(catalogue.emitter("webhook.test").empty());
}
