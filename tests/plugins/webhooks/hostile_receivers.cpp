// Receivers that fail or must not be asked, beside others.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <set>

#include "delivery_fixture.h"

using namespace webhooks_test;
using namespace std::chrono_literals;

TEST_CASE("a delivery that fails does not delay others") {
  DeliveryFixture fixture({WebhookAnswer::error});
  fixture.emit("call.started", "oac-1", "{}");
  fixture.emit("call.ended", "oac-1", "{}");
  const auto got = fixture.receiver.wait_for(2);
  REQUIRE(got.size() == 2);
  CHECK(got[0].header("x-platform-event") == "call.started");
  CHECK(got[1].header("x-platform-event") == "call.ended");
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
