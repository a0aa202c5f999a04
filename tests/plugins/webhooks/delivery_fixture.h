// A server with webhooks, a manual clock and a receiver of deliveries. Tests emit events and send requests
// through the probe.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "runtime/manual_clock.h"
#include "support/probe_requests.h"
#include "support/test_server.h"
#include "support/test_store.h"
#include "support/webhook_receiver.h"

namespace webhooks_test {

using namespace patchbay;        // NOLINT(google-build-using-namespace)
using namespace patchbay::test;  // NOLINT(google-build-using-namespace)
using probe::text_member;

inline constexpr const char* kSecret = "a-secret-of-the-tests";

inline std::string yaml(const std::vector<std::string>& urls, const std::string& events = "[\"*\"]") {
  std::string text = "plugins: {probe: {}, webhooks: {}}\ntenants:\n  a.example:\n    primary: true\n";
  text += "    webhooks:\n      allowPrivateReceivers: true\n      subscriptions:\n";
  for (const std::string& url : urls)
    text += "        - {url: \"" + url + "\", events: " + events + ", secret: " + kSecret + "}\n";
  return text + "  b.example: {}\n";
}

inline WebhookReceiver::Options receiver_options() {
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
inline void run_sql(const TestServer& server, const std::string& sql) {
  const Status done = test::run_sql(server.data() / "patchbay.db", sql);
  INFO((done ? "" : done.error().text));
  CHECK(done.ok());
}

inline size_t occurrences(const std::string& text, const std::string& of) {
  size_t count = 0;
  for (size_t at = text.find(of); at != std::string::npos; at = text.find(of, at + of.size())) ++count;
  return count;
}

}  // namespace webhooks_test
