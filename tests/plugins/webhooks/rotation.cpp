#include <doctest/doctest.h>

#include "runtime/manual_clock.h"
#include "support/probe_requests.h"
#include "support/test_server.h"
#include "support/webhook_receiver.h"

using namespace patchbay;
using namespace patchbay::test;
using probe::text_member;

TEST_CASE("retries are signed with the secret of the event's time, later events with the new one") {
  core::ManualClock clock;
  WebhookReceiver receiver({});
  receiver.set_secret("the-first-secret");
  TestServer server(
      "plugins: {probe: {}, webhooks: {}}\n"
      "tenants: {a.example: {primary: true, webhooks: {allowPrivateReceivers: true}}}\n",
      &clock, {probe::entry()});
  const auto ask = [](const probe::Call& request) { return probe::call(request); };
  const std::string made = ask({"POST", "/api.ashx/v1/admin/webhooks",
                                R"({"url":")" + receiver.url() + R"(","secret":"the-first-secret"})"})
                               .body;
  const std::string path = "/api.ashx/v1/admin/webhooks/" + text_member(made, "id");
  receiver.answer_next({WebhookAnswer::error});
  clock.advance(std::chrono::seconds(1));
  CHECK(probe::emit({"call.started", "a.example", "oac-1", "", "{}"}));
  REQUIRE(receiver.wait_for(1).size() == 1);

  clock.advance(std::chrono::seconds(1));
  CHECK(ask({"POST", path + "/rotate", R"({"secret":"the-second-secret"})"}).status == 200);
  server.restart();
  clock.advance(std::chrono::seconds(5));
  auto got = receiver.wait_for(2);
  REQUIRE(got.size() == 2);
  CHECK(got[1].signature_ok);  // still with the first secret
  CHECK(got[1].signature_v2_ok);
  CHECK(got[1].header("x-platform-signature") == got[0].header("x-platform-signature"));

  receiver.set_secret("the-second-secret");
  CHECK(probe::emit({"call.ended", "a.example", "oac-1", "", "{}"}));
  got = receiver.wait_for(3);
  REQUIRE(got.size() == 3);
  CHECK(got[2].header("x-platform-event") == "call.ended");
  CHECK(got[2].signature_ok);
}
