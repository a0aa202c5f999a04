#include <doctest/doctest.h>
#include <patchbay/buffer.h>
#include <patchbay/strand.h>

#include <chrono>
#include <future>
#include <map>
#include <set>
#include <vector>

#include "runtime/manual_clock.h"
#include "support/probe_requests.h"
#include "support/test_server.h"
#include "support/webhook_receiver.h"

using namespace patchbay;
using namespace patchbay::test;
using probe::text_member;

namespace {

constexpr const char* kAdmin = "/api.ashx/v1/admin/webhooks";
constexpr const char* kNone =
    "plugins: {probe: {}, webhooks: {}}\n"
    "tenants: {a.example: {primary: true, webhooks: {allowPrivateReceivers: true}}, b.example: {}}\n";

const char* configured(const char* secret) {
  static std::string text;
  text = std::string(
             "plugins: {probe: {}, webhooks: {}}\ntenants:\n  a.example: {primary: true, webhooks: "
             "{subscriptions: ["
             "{url: 'https://hooks.example.com/x', events: [call.ended], secret: ") +
         secret + "}]}}\n";
  return text.c_str();
}

http::Response ask(const probe::Call& request) { return probe::call(request); }
std::string list(const std::string& tenant = "a.example") {
  probe::Call request{"GET", "/api.ashx/v1/webhooks"};
  request.tenant = tenant;
  return ask(request).body;
}

}  // namespace

TEST_CASE("the pages of deliveries follow each other without a gap while deliveries are added") {
  core::ManualClock clock;
  TestServer server(kNone, &clock, {probe::entry()});
  REQUIRE(server.start_error() == "");
  const auto made = ask({"POST", kAdmin, R"({"url":"http://127.0.0.1:9/x"})"});
  const std::string path = std::string(kAdmin) + "/" + text_member(made.body, "id");
  const auto send = [&] {
    clock.advance(std::chrono::milliseconds(1));
    const auto sent = ask({"POST", path + "/test"});
    CHECK(sent.status == 200);
    return text_member(sent.body, "deliveryId");
  };
  std::set<std::string> first_five, listed;
  while (first_five.size() < 5) first_five.insert(send());
  probe::Call page{"GET", path + "/deliveries"};
  page.limit = 2;
  for (size_t expected : {2U, 2U, 1U}) {
    const auto answer = ask(page);
    CHECK(answer.status == 200);
    size_t count = 0;
    const std::string key = "\"deliveryId\":\"";
    for (size_t at = 0; (at = answer.body.find(key, at)) != std::string::npos; ++count, at += key.size())
      CHECK(listed.insert(answer.body.substr(at + key.size(), 32)).second);
    CHECK(count == expected);
    CHECK(answer.next_cursor.empty() == (expected == 1));
    page.query = {{"cursor", answer.next_cursor}};
    page.offset += page.limit;
    send();
  }
  CHECK(listed == first_five);
  page.query = {{"cursor", "x"}};
  CHECK(ask(page).status == 400);
}

TEST_CASE("a subscription is created, listed, changed and deleted, and its secret is shown once") {
  TestServer server(kNone, nullptr, {probe::entry()});
  REQUIRE(server.start_error() == "");
  const auto made =
      ask({"POST", kAdmin, R"({"url":"https://hooks.example.com/k?t=1","Events":["call.ended"]})"});
  CHECK(made.status == 201);
  const std::string id = text_member(made.body, "id");
  const std::string secret = text_member(made.body, "secret");
  CHECK(id.size() == 16);
  CHECK(secret.size() == 64);
  CHECK(made.body.find(R"("createdBy":"tester","lastFiredUtc":null,"failures":0,"source":"api")") !=
        std::string::npos);
  const std::string shown = list();
  CHECK(text_member(shown, "id") == id);
  CHECK(shown.find("secret") == std::string::npos);
  CHECK(list("b.example") == R"({"data":[]})");

  const std::string path = std::string(kAdmin) + "/" + id;
  CHECK(ask({"PATCH", path, R"({"url":"https://new.example.com/","active":false})"}).status == 200);
  CHECK(list().find(R"("url":"https://new.example.com/","events":["call.ended"],"active":false)") !=
        std::string::npos);
  const auto rotated = ask({"POST", path + "/rotate"});
  CHECK(rotated.status == 200);
  CHECK(text_member(rotated.body, "secret").size() == 64);
  CHECK(text_member(rotated.body, "secret") != secret);

  server.restart();
  CHECK(text_member(list(), "id") == id);
  const auto deleted = ask({"DELETE", path});
  CHECK(deleted.status == 200);
  CHECK(deleted.body.find("{\"deleted\":{\"id\":\"" + id) == 0);
  CHECK(list() == R"({"data":[]})");
  CHECK(ask({"DELETE", path}).status == 404);
  CHECK(server.log().find(secret) == std::string::npos);
  CHECK(server.log().find("/k?t=1") == std::string::npos);
}

TEST_CASE("libcurl is loaded on a worker, and the plugin answers other requests meanwhile") {
  TestServer server(kNone, nullptr, {probe::entry()});
  REQUIRE(server.start_error() == "");
  // Occupies all workers.
  std::promise<void> open;
  const std::shared_future<void> opened = open.get_future().share();
  CHECK(probe::ask_host<bool>([opened](const Host& host, auto done) {
          bool posted = true;
          for (int i = 0; i < 64; ++i) posted = post_worker(host, [opened] { opened.wait(); }).ok() && posted;
          done(posted);
        }).value_or(false));
  http::Request request;
  request.tenant = "a.example";
  request.body = Buffer::copy(R"({"url":"https://name:word@example.com/"})");
  auto refused = probe::begin("POST", kAdmin, request);
  CHECK(list() == R"({"data":[]})");
  CHECK(refused.wait_for(std::chrono::seconds(0)) != std::future_status::ready);
  open.set_value();
  const auto response = probe::wait(std::move(refused));
  REQUIRE(response);
  CHECK(response->status == 400);
  CHECK(response->body.find("must not hold a user name") != std::string::npos);
}

TEST_CASE("another tenant's subscription is the same 404 as a missing one") {
  TestServer server(kNone, nullptr, {probe::entry()});
  const auto made = ask({"POST", kAdmin, R"({"url":"https://hooks.example.com/"})"});
  const std::string id = text_member(made.body, "id");
  const std::pair<const char*, const char*> routes[] = {
      {"PATCH", ""},     {"DELETE", ""},         {"POST", "/rotate"},
      {"POST", "/test"}, {"GET", "/deliveries"}, {"POST", "/deliveries/x/resend"}};
  for (const auto& [method, tail] : routes) {
    probe::Call foreign{method, std::string(kAdmin) + "/" + id + tail};
    foreign.tenant = "b.example";
    probe::Call missing{method, std::string(kAdmin) + "/0000000000000000" + tail};
    INFO(foreign.path);
    CHECK(ask(foreign).status == 404);
    CHECK(ask(foreign).body == ask(missing).body);
  }
}

TEST_CASE("an invalid subscription is 400") {
  TestServer server(kNone, nullptr, {probe::entry()});
  for (const std::string body :
       {R"({})", R"({"url":"ftp://example.com/"})", R"({"url":"https://u:p@example.com/"})",
        R"({"url":"https://example.com/","events":["call.*"]})",
        R"({"url":"https://example.com/","events":[]})", R"({"url":"https://example.com/","secret":"short"})",
        R"({"url":"https://example.com/","secret":"a sign-in was refused"})",
        R"({"url":"https://example.com/","secret":"abcabcabcabcabcabcabcabc"})", R"({"url":7})"}) {
    INFO(body);
    CHECK(ask({"POST", kAdmin, body}).status == 400);
  }
  probe::Call inside{"POST", kAdmin, R"({"url":"http://127.0.0.1/"})"};
  CHECK(ask(inside).status == 201);
  inside.tenant = "b.example";
  CHECK(ask(inside).status == 400);
}

TEST_CASE(
    "an event that no plugin emits is refused without its name, and one of the specification is marked") {
  TestServer server(kNone, nullptr, {probe::entry()});
  const auto with_events = [](const std::string& events) {
    return R"({"url":"https://hooks.example.com/","events":)" + events + "}";
  };
  const auto refused = ask({"POST", kAdmin, with_events(R"(["call.ended","probe.unknown"])")});
  CHECK(refused.status == 400);
  CHECK(refused.body.find("events[1] is not the name of an event") != std::string::npos);
  CHECK(refused.body.find("probe.unknown") == std::string::npos);
  CHECK(refused.body.find("probe.noted") != std::string::npos);
  CHECK(ask({"POST", kAdmin, with_events(R"(["probe.internal"])")}).status == 400);
  const auto made = ask({"POST", kAdmin, with_events(R"(["share.viewed","probe.noted"])")});
  CHECK(made.status == 201);
  CHECK(made.body.find(R"("notEmitted":["share.viewed"])") != std::string::npos);
  const std::string path = std::string(kAdmin) + "/" + text_member(made.body, "id");
  CHECK(ask({"PATCH", path, R"({"events":["probe.unknown"]})"}).status == 400);
  CHECK(ask({"PATCH", path, R"({"events":["probe.noted"]})"}).body.find("notEmitted") == std::string::npos);
}

TEST_CASE("a configured event that no plugin emits is refused, one of the specification is a warning") {
  const auto with_event = [](const std::string& event) {
    return "plugins: {probe: {}, webhooks: {}}\ntenants: {a.example: {primary: true, webhooks: "
           "{subscriptions: "
           "[{url: 'https://hooks.example.com/', events: ['" +
           event + "'], secret: 0123456789abcdef}]}}}\n";
  };
  TestServer server(with_event("share.viewed"), nullptr, {probe::entry()});
  REQUIRE(server.start_error() == "");
  CHECK(server.log().find("a subscription names events that no plugin emits") != std::string::npos);
  const Status status = server.reload(with_event("share.seen"));
  REQUIRE_FALSE(status.ok());
  CHECK(status.error().text.find(
            "tenants.a.example.webhooks.subscriptions[0].events[0] is share.seen, which no "
            "plugin emits") != std::string::npos);
}

TEST_CASE("configured subscriptions are read-only but can be paused") {
  TestServer server(configured("first-secret-of-config"), nullptr, {probe::entry()});
  REQUIRE(server.start_error() == "");
  const std::string shown = list();
  CHECK(text_member(shown, "id") == "a943086353afae2c");
  CHECK(shown.find(R"("createdBy":"config")") != std::string::npos);
  CHECK(shown.find(R"("source":"config")") != std::string::npos);
  const std::string path = std::string(kAdmin) + "/" + text_member(shown, "id");
  CHECK(ask({"PATCH", path, R"({"url":"https://x.example.com/"})"}).status == 409);
  CHECK(ask({"POST", path + "/rotate"}).status == 409);
  CHECK(ask({"DELETE", path}).status == 409);
  CHECK(ask({"PATCH", path, R"({"active":false})"}).status == 200);

  server.restart();
  CHECK(list().find(R"("active":false)") != std::string::npos);
  CHECK(server.reload(configured("second-secret-of-config")).ok());
  // A changed definition reactivates it.
  CHECK(probe::eventually([] { return list().find(R"("active":true)") != std::string::npos; }));
  CHECK(server.reload(kNone).ok());
  CHECK(probe::eventually([] { return list() == R"({"data":[]})"; }));
}

TEST_CASE("the error for a configured receiver at a private address names the remedy") {
  TestServer server(kNone, nullptr, {probe::entry()});
  const Status status = server.reload(
      "plugins: {probe: {}, webhooks: {}}\n"
      "tenants: {b.example: {primary: true, webhooks: {subscriptions: [{url: 'http://10.0.0.1/', secret: "
      "0123456789abcdef}]}}}\n");
  REQUIRE_FALSE(status.ok());
  CHECK(status.error().text.find("subscriptions[0].url must lead to a public address; see "
                                 "allowPrivateReceivers") != std::string::npos);
}

TEST_CASE("a missing CA file is refused") {
  TestServer server(kNone, nullptr, {probe::entry()});
  const Status status = server.reload(
      "plugins: {probe: {}, webhooks: {caFile: /nowhere/ca.pem}}\ntenants: {a.example: {primary: true}}\n");
  REQUIRE_FALSE(status.ok());
  CHECK(status.error().text.find("caFile cannot be read: /nowhere/ca.pem") != std::string::npos);
}

TEST_CASE("a test is sent to its subscription only, also to a paused one, and can be resent") {
  WebhookReceiver receiver({});
  TestServer server(kNone, nullptr, {probe::entry()});
  const std::string body =
      R"({"url":")" + receiver.url() + R"(","events":["call.ended"],"secret":"0123456789abcdef"})";
  receiver.set_secret("0123456789abcdef");
  const std::string id = text_member(ask({"POST", kAdmin, body}).body, "id");
  const std::string path = std::string(kAdmin) + "/" + id;
  CHECK(ask({"PATCH", path, R"({"active":false})"}).status == 200);
  const auto fired = ask({"POST", path + "/test"});
  CHECK(fired.status == 200);
  const std::string delivery = text_member(fired.body, "deliveryId");
  auto got = receiver.wait_for(1);
  REQUIRE(got.size() == 1);
  CHECK(got[0].signature_ok);
  CHECK(got[0].header("x-platform-delivery-id") == delivery);
  CHECK(got[0].body.find(R"("event":"webhook.test","tenant":"a.example")") != std::string::npos);
  CHECK(got[0].body.find(R"("data":{"subscriptionId":")" + id) != std::string::npos);
  CHECK(got[0].body.find(R"("requestedBy":"tester"})") != std::string::npos);

  const std::string resend = path + "/deliveries/" + delivery + "/resend";
  // 404 until the first attempt is recorded.
  CHECK(probe::eventually([&] { return ask({"POST", resend}).status == 200; }));
  got = receiver.wait_for(2);
  REQUIRE(got.size() == 2);
  CHECK(got[1].header("x-platform-delivery-id") == delivery);
  CHECK(got[1].header("x-platform-attempt") == "1");
  CHECK(got[1].body == got[0].body);
}

TEST_CASE("parallel creations do not exceed the limit of a tenant's subscriptions") {
  TestServer server(kNone, nullptr, {probe::entry()});
  std::vector<std::future<Result<http::Response>>> pending;
  for (int i = 0; i < 110; ++i) {
    http::Request request;
    request.tenant = "a.example";
    request.username = "tester";
    request.role = "admin";
    request.body = Buffer::copy(R"({"url":"https://hooks.example.com/)" + std::to_string(i) + "\"}");
    pending.push_back(probe::begin("POST", kAdmin, std::move(request)));
  }
  std::map<int64_t, int> statuses;
  for (auto& each : pending) {
    const auto response = probe::wait(std::move(each));
    ++statuses[response ? response->status : 599];
  }
  CHECK(statuses[201] == 100);
  CHECK(statuses[409] == 10);
  CHECK(ask({"POST", kAdmin, R"({"url":"https://hooks.example.com/"})"}).status == 409);
}

TEST_CASE("one subscription is read, without its secret, and the admin list is that of the tenant") {
  TestServer server(kNone, nullptr, {probe::entry()});
  REQUIRE(server.start_error() == "");
  const auto made = ask({"POST", kAdmin, R"({"url":"https://hooks.example.com/k"})"});
  const std::string path = std::string(kAdmin) + "/" + text_member(made.body, "id");
  const auto read = ask({"GET", path});
  CHECK(read.status == 200);
  CHECK(text_member(read.body, "url") == "https://hooks.example.com/k");
  CHECK(read.body.find("secret") == std::string::npos);
  probe::Call foreign{"GET", path};
  foreign.tenant = "b.example";
  CHECK(ask(foreign).status == 404);
  CHECK(ask({"GET", kAdmin}).body == list());
}

TEST_CASE("changes of subscriptions are recorded without secrets, and refused ones are not") {
  TestServer server(kNone, nullptr, {probe::entry()});
  REQUIRE(server.start_error() == "");
  const auto made =
      ask({"POST", kAdmin, R"({"url":"https://hooks.example.com/k?t=1","events":["call.ended"]})"});
  const std::string id = text_member(made.body, "id");
  const std::string path = std::string(kAdmin) + "/" + id;
  CHECK(ask({"PATCH", path, R"({"active":false})"}).status == 200);
  CHECK(ask({"PATCH", path, R"({"active":false})"}).status == 200);  // as it is, so not recorded
  CHECK(ask({"PATCH", path, "{}"}).status == 200);
  CHECK(ask({"PATCH", path, R"({"events":["no.such.event"]})"}).status == 400);
  CHECK(ask({"POST", path + "/rotate"}).status == 200);
  const std::string delivery = text_member(ask({"POST", path + "/test"}).body, "deliveryId");
  CHECK(ask({"POST", path + "/deliveries/none/resend"}).status == 404);
  CHECK(ask({"DELETE", path}).status == 200);
  CHECK(ask({"DELETE", path}).status == 404);
  const std::string receiver = R"({"receiver":"https://hooks.example.com","urlDigest":"1cca995e3d6f3e59",)";
  const std::string on = receiver + R"("events":["call.ended"],"active":true})";
  const std::string off = receiver + R"("events":["call.ended"],"active":false})";
  CHECK(probe::audit_text(5) == "webhook.created " + id + " - " + on + "\n" +                //
                                    "webhook.changed " + id + " " + on + " " + off + "\n" +  //
                                    "webhook.secret-rotated " + id +
                                    " {\"secretNumber\":1} {\"secretNumber\":2}\n" + "webhook.tested " + id +
                                    " - {\"deliveryId\":\"" + delivery + "\"}\n" + "webhook.deleted " + id +
                                    " " + off + " -\n");
}

TEST_CASE("the record of a change shows that the path of the URL is another one, not which") {
  TestServer server(kNone, nullptr, {probe::entry()});
  REQUIRE(server.start_error() == "");
  const auto made = ask({"POST", kAdmin, R"({"url":"https://hooks.example.com/key-1","events":["*"]})"});
  const std::string path = std::string(kAdmin) + "/" + text_member(made.body, "id");
  CHECK(ask({"PATCH", path, R"({"url":"https://hooks.example.com/key-2"})"}).status == 200);
  const auto records = probe::audited(2);
  REQUIRE(records.size() == 2);
  CHECK(records[1].before == records[0].after);
  CHECK(text_member(records[1].before, "receiver") == text_member(records[1].after, "receiver"));
  CHECK(text_member(records[1].before, "urlDigest") != text_member(records[1].after, "urlDigest"));
  CHECK((records[1].before + records[1].after).find("key-") == std::string::npos);
}

TEST_CASE("concurrent changes of a subscription are recorded with what each of them replaced") {
  TestServer server(kNone, nullptr, {probe::entry()});
  REQUIRE(server.start_error() == "");
  const std::string id =
      text_member(ask({"POST", kAdmin, R"({"url":"https://hooks.example.com/"})"}).body, "id");
  std::vector<std::future<Result<http::Response>>> answers;
  for (int i = 0; i < 8; ++i) {
    http::Request request;
    request.tenant = "a.example";
    request.params = {{"id", id}};
    request.body = Buffer::copy(R"({"url":"https://hooks.example.com/)" + std::to_string(i) + R"("})");
    answers.push_back(probe::begin("PATCH", std::string(kAdmin) + "/{id}", request));
  }
  size_t changes = 0;
  for (auto& answer : answers) {
    const auto response = probe::wait(std::move(answer));
    REQUIRE(response);
    CHECK((response->status == 200 || response->status == 409));
    if (response->status == 200) ++changes;
  }
  const auto records = probe::audited(1 + changes);
  REQUIRE(records.size() == 1 + changes);
  for (size_t i = 1; i < records.size(); ++i) CHECK(records[i].before == records[i - 1].after);
}
