// GET /api.ashx/v1/events as server-sent events, in a whole server: rest-api, identity and webhooks.
#include <doctest/doctest.h>

#include <thread>
#include <vector>

#include "emitter.h"
#include "event_client.h"
#include "runtime/manual_clock.h"
#include "support/http_client.h"
#include "support/json_without_host.h"
#include "support/test_server.h"

using namespace patchbay;
using namespace webhooks_test;
using test::HttpAnswer;
using test::HttpClient;

namespace {

constexpr char kEvents[] = "/api.ashx/v1/events";
constexpr char kTenantB[] = "  b.example: {}\n";
constexpr char kStreamYaml[] = R"(
plugins:
  rest-api: {listen: "127.0.0.1:0", limits: {requestsPerSecond: 1000, burst: 1000}}
  identity: {issuer: "http://a.example"}
  webhooks: {}
  emitter: {}
tenants:
  a.example: {primary: true, identity: {users: [{username: bob, password: bob}]}}
)";

struct EventServer {
  explicit EventServer(core::ManualClock* clock = nullptr)
      : core(std::string(kStreamYaml) + kTenantB, clock, {emitter()}) {
    meet();
    key = key_of("a.example");
  }
  void meet() {
    REQUIRE(core.start_error() == "");
    http = HttpClient::of(core);
    admin = HttpClient::of(core, "admin");
    management = HttpClient::of(core, "management");
    REQUIRE(http.wait_for("GET", kEvents));
    REQUIRE(http.wait_for("POST", "/api.ashx/v1/admin/keys"));
  }
  std::string key_of(const std::string& tenant) {
    const HttpAnswer made =
        admin.post("/api.ashx/v1/admin/keys?tenant=" + tenant, R"({"name":"of )" + tenant + "\"}");
    REQUIRE(made.status == 201);
    key_id = member_of(made, "id");
    return member_of(made, "key");
  }
  static std::string member_of(const HttpAnswer& answer, const char* name) {
    const auto body = json_without_host(answer.body);
    return body ? std::string((*body)[name].text()) : std::string();
  }
  EventClient open(const std::string& query = {}, EventClient::Headers headers = {}) const {
    const uint16_t port =
        static_cast<uint16_t>(std::stoi(http.base_url().substr(http.base_url().rfind(':') + 1)));
    headers.push_back("Authorization: Bearer " + key);
    return {port, kEvents + query, headers};
  }
  HttpAnswer list(const std::string& query = {}) const {
    return http.get(kEvents + query, {"Authorization: Bearer " + key});
  }
  // Moves the clock in steps of two seconds, as the plugin's timers are, until done().
  template <class F>
  static bool advance_until(core::ManualClock& clock, F done) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!done()) {
      if (std::chrono::steady_clock::now() > end) return false;
      clock.advance(std::chrono::seconds(2));
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
  }
  bool has_no_streams() const {
    return management.get("/metrics").body.find("patchbay_rest_api_streams{kind=\"events\"} 0") !=
           std::string::npos;
  }

  test::TestServer core;
  HttpClient http{""}, admin{""}, management{""};
  std::string key, key_id;
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The next one that is an event, and not only an id or a time to wait.
std::optional<SentEvent> next_event(EventClient& client) {
  auto event = client.next();
  while (event && event->data_lines == 0) event = client.next();
  return event;
}

}  // namespace

TEST_CASE("a stream has the events of the log and then each new event, as the list has them") {
  EventServer server;
  REQUIRE(emit("call.started", "{\"callId\":\n  \"oac-1\"}"));
  REQUIRE(emit("call.ended", "{}", "b.example"));
  REQUIRE(emit("call.ended", R"({"n": 12345678901234567890})"));
  EventClient client = server.open();
  CHECK(client.status() == 200);
  CHECK(contains(client.head(), "Content-Type: text/event-stream\r\n"));
  CHECK(contains(client.head(), "Cache-Control: no-store\r\n"));
  const auto first = client.next();
  REQUIRE(first);
  CHECK(first->retry == "2000");
  CHECK(first->data_lines == 0);
  REQUIRE(emit("call.ended", R"({"last":true})"));
  for (const char* id : {"1", "2", "3"}) {
    const auto event = next_event(client);
    REQUIRE(event);
    CHECK(event->id == id);
    CHECK(event->event == (event->id == "1" ? "call.started" : "call.ended"));
    CHECK(event->data_lines == 1);
    CHECK(contains(event->data, "{\"seq\":" + event->id + ",\"event\":\""));
    // The list has line breaks of a payload unchanged.
    if (event->id != "1") CHECK(contains(server.list().body, event->data));
  }
}

TEST_CASE("a stream begins after the Last-Event-ID or after, and has the topics that were asked for") {
  EventServer server;
  for (int i = 0; i < 3; ++i) {
    REQUIRE(emit("call.started"));
    REQUIRE(emit("call.ended"));
  }
  const auto first_of = [&](const std::string& query, const EventClient::Headers& headers = {}) {
    EventClient client = server.open(query, headers);
    if (client.status() != 200) return std::to_string(client.status());
    const auto event = next_event(client);
    return event ? event->id : std::string("end");
  };
  CHECK(first_of("?after=2") == "3");
  CHECK(first_of("?after=2", {"Last-Event-ID: 4"}) == "5");
  CHECK(first_of("?after=4", {"Last-Event-ID: 2"}) == "3");
  CHECK(first_of("?after=2&topic=call.ended&limit=1") == "4");
  CHECK(first_of("", {"Last-Event-ID: "}) == "1");
  for (const char* wrong : {"-1", "x", "1x", "99999999999999999999", "7"})
    CHECK(first_of("", {std::string("Last-Event-ID: ") + wrong}) == "400");
  CHECK(first_of("?after=7") == "400");
  CHECK(first_of("?topic=core.secret") == "400");
  CHECK(server.list("?after=5").status == 200);
}

TEST_CASE("a stream needs an admin's bearer, and the same path is a list for others than event sources") {
  EventServer server;
  REQUIRE(emit("call.started"));
  const auto type_for = [&](const std::string& accept) {
    const HttpAnswer answer =
        server.http.ask("HEAD", kEvents, "", {"Authorization: Bearer " + server.key, "Accept: " + accept});
    CHECK(answer.status == 200);
    return answer.headers.at("content-type");
  };
  CHECK(type_for("application/json") == "application/json");
  CHECK(type_for("*/*") == "application/json");
  CHECK(type_for("text/event-stream; q=0, application/json") == "application/json");
  CHECK(type_for("text/html, Text/Event-Stream;q=0.5") == "text/event-stream");
  CHECK(server.http.get(kEvents, {"Accept: text/event-stream"}).status == 401);
  const HttpAnswer bob = server.http.post(
      "/oidc.ashx/token", "grant_type=password&client_id=patchbay-admin&username=bob&password=bob",
      {"Host: a.example", "Content-Type: application/x-www-form-urlencoded"});
  server.key = EventServer::member_of(bob, "access_token");
  REQUIRE(server.key != "");
  CHECK(server.open().status() == 403);
}

TEST_CASE("a client that connects again with Last-Event-ID, while others write, gets each event once") {
  EventServer server;
  constexpr int kWritten = 300;
  std::vector<std::string> got;
  const auto read_some = [&](size_t count) {
    EventClient client = server.open(
        "", got.empty() ? EventClient::Headers{} : EventClient::Headers{"Last-Event-ID: " + got.back()});
    REQUIRE(client.status() == 200);
    for (const size_t until = got.size() + count; got.size() < until;) {
      const auto event = next_event(client);
      REQUIRE(event);
      got.push_back(event->id);
    }
    client.client().reset();
  };
  std::thread writer([] {
    for (int i = 0; i < kWritten; ++i) CHECK(emit(i % 3 == 0 ? "call.started" : "call.ended"));
  });
  for (size_t count = 1; got.size() < kWritten / 2; count += 5) read_some(count);
  writer.join();
  server.core.restart();
  server.meet();
  std::thread later([] {
    for (int i = 0; i < kWritten; ++i) CHECK(emit("call.ended"));
  });
  while (got.size() < 2 * kWritten) read_some(std::min<size_t>(60, 2 * kWritten - got.size()));
  later.join();
  REQUIRE(got.size() == 2 * kWritten);
  for (size_t i = 0; i < got.size(); ++i) CHECK(got[i] == std::to_string(i + 1));
}

TEST_CASE("many streams of a tenant all get every event") {
  EventServer server;
  std::vector<EventClient> clients;
  clients.reserve(20);
  for (int i = 0; i < 20; ++i) clients.push_back(server.open());
  for (int i = 0; i < 30; ++i) REQUIRE(emit("call.ended"));
  for (EventClient& client : clients)
    for (int i = 1; i <= 30; ++i) {
      const auto event = next_event(client);
      REQUIRE(event);
      CHECK(event->id == std::to_string(i));
    }
}

TEST_CASE("a stream ends within 20 s after its key was revoked, and others go on") {
  core::ManualClock clock;
  EventServer server(&clock);
  EventClient operator_stream = server.open();
  const std::string kept = server.key;
  server.key =
      EventServer::member_of(server.admin.post("/api.ashx/v1/admin/keys", R"({"name":"second"})"), "key");
  EventClient other = server.open();
  REQUIRE(other.status() == 200);
  CHECK(server.admin.ask("DELETE", "/api.ashx/v1/admin/keys/" + server.key_id).status == 200);
  std::thread moving([&] {
    CHECK(EventServer::advance_until(clock, [&] {
      return contains(server.management.get("/metrics").body, "patchbay_rest_api_streams{kind=\"events\"} 1");
    }));
  });
  CHECK_FALSE(next_event(operator_stream));
  CHECK(operator_stream.has_ended());
  moving.join();
  REQUIRE(emit("call.ended"));
  CHECK(next_event(other));
  server.key = kept;
  CHECK(server.open().status() == 401);
}

TEST_CASE("streams end when their tenant leaves the configuration, and when the server stops") {
  EventServer server;
  const std::string key_of_a = server.key;
  EventClient of_a = server.open();
  server.key = server.key_of("b.example");
  EventClient of_b = server.open();
  REQUIRE(of_b.status() == 200);
  CHECK(server.core.reload(kStreamYaml));
  CHECK_FALSE(next_event(of_b));
  CHECK(of_b.has_ended());
  REQUIRE(emit("call.ended"));
  CHECK(next_event(of_a));
  CHECK(server.core.core().stop());
  CHECK_FALSE(next_event(of_a));
  CHECK(of_a.has_ended());
}

TEST_CASE("a client that does not read is ended, and continues with the events that it missed") {
  core::ManualClock clock;
  EventServer server(&clock);
  EventClient slow = server.open();
  REQUIRE(slow.status() == 200);
  const std::string payload = "{\"text\":\"" + std::string(200'000, 'x') + "\"}";
  constexpr int kLarge = 40;
  for (int i = 0; i < kLarge; ++i) REQUIRE(emit("call.ended", payload));
  REQUIRE(EventServer::advance_until(clock, [&] { return server.has_no_streams(); }));
  std::string last = "0";
  while (const auto event = next_event(slow)) last = event->id;
  CHECK_FALSE(slow.has_ended());  // cut off, so the client knows
  CHECK(std::stoi(last) < kLarge);
  EventClient again = server.open("", {"Last-Event-ID: " + last});
  for (int i = std::stoi(last) + 1; i <= kLarge; ++i) {
    const auto event = next_event(again);
    REQUIRE(event);
    CHECK(event->id == std::to_string(i));
  }
}

TEST_CASE("streams beyond the limit of an address are refused, and the list still answers") {
  EventServer server;
  std::vector<EventClient> clients;
  clients.reserve(50);
  for (int i = 0; i < 50; ++i) clients.push_back(server.open());
  for (const EventClient& client : clients) CHECK(client.status() == 200);
  const EventClient refused = server.open();
  CHECK(refused.status() == 429);
  CHECK(contains(refused.head(), "Retry-After: "));
  CHECK(server.list().status == 200);
  clients.clear();
  bool is_open = false;
  for (int i = 0; i < 1000 && !is_open; ++i) is_open = server.open().status() == 200;
  CHECK(is_open);
}

TEST_CASE("a client learns how far the log was read although no event matched") {
  core::ManualClock clock;
  EventServer server(&clock);
  EventClient client = server.open("?topic=call.started");
  REQUIRE(client.next());
  for (int i = 0; i < 5; ++i) REQUIRE(emit("call.ended"));
  std::thread reading([&] {
    const auto position = client.next();
    CHECK(position);
    if (position) CHECK(position->data_lines == 0);
    if (position) CHECK(position->id == "5");
  });
  for (int i = 0; i < 12; ++i) {
    clock.advance(std::chrono::seconds(2));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  reading.join();
}
