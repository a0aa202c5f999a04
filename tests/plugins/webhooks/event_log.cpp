// GET /api.ashx/v1/events.
#include <doctest/doctest.h>
#include <patchbay/services/http_stream.h>

#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "json/parse.h"
#include "runtime/manual_clock.h"
#include "support/probe_requests.h"
#include "support/test_server.h"
#include "support/test_store.h"
#include "support/webhook_receiver.h"

using namespace patchbay;
using namespace patchbay::test;

namespace {

std::string event_log_yaml(const std::string& receiver = "") {
  const std::string hooks = receiver.empty() ? "{}"
                                             : "{allowPrivateReceivers: true, subscriptions: [{url: \"" +
                                                   receiver + "\", secret: a-secret-of-the-tests}]}";
  return "plugins: {probe: {}, webhooks: {}}\ntenants: {a.example: {primary: true, webhooks: " + hooks +
         "}, b.example: {}}\n";
}

http::Response read_events(const NameValues& query = {}, const std::string& tenant = "a.example") {
  probe::Call call{"GET", "/api.ashx/v1/events"};
  call.query = query;
  call.tenant = tenant;
  return probe::call(call);
}

std::vector<int64_t> numbers_of(const std::string& body) {
  const auto parsed = core::json::parse(body);
  REQUIRE(parsed.ok());
  std::vector<int64_t> numbers;
  const auto* data = parsed->root().find("data");
  REQUIRE(data != nullptr);
  for (uint32_t i = 0; i < data->size(); ++i) numbers.push_back(data->element(i)->find("seq")->integer(-1));
  return numbers;
}

void emit_event(const std::string& topic, const std::string& payload = "{}",
                const std::string& tenant = "a.example") {
  CHECK(probe::emit({topic, tenant, "oac-1", "", payload}));
}

bool says(const http::Response& response, const std::string& text) {
  return response.body.find(text) != std::string::npos;
}

// A client of the stream that reads nothing further until read_on().
struct HeldClient {
  HeldClient() {
    const auto handle = probe::ask_host<Handle>([this](const Host& host, const auto& report) {
      connection.emplace(host);
      connection->on(http::Connection::send_event,
                     [this](const http::ServerEvent& event) -> Result<http::Unsent> {
                       const std::lock_guard lock(mutex);
                       events.push_back(event);
                       return http::Unsent{};
                     });
      connection->on(http::Connection::flush,
                     [this](const Empty&, Reply<http::Unsent> reply) { held.push_back(std::move(reply)); });
      connection->on(http::Connection::close, [this](const http::Close& close) -> Result<Empty> {
        const std::lock_guard lock(mutex);
        closed_with = close.code;
        return Empty{};
      });
      report(connection->handle());
    });
    http::Request request;
    request.tenant = "a.example";
    request.headers.add("accept", "text/event-stream");
    request.connection = handle.value_or(Handle{});
    const auto opened = probe::ask("GET", "/api.ashx/v1/events", request);
    CHECK((opened && opened->listener));
  }
  // On the strand of the connection, as all that uses it.
  ~HeldClient() {
    probe::ask_host<bool>([this](const Host&, const auto& report) {
      held.clear();
      connection.reset();
      report(true);
    });
  }
  void read_on() {
    probe::ask_host<bool>([this](const Host&, const auto& report) {
      for (auto& reply : std::exchange(held, {})) reply(http::Unsent{});
      report(true);
    });
  }
  std::vector<http::ServerEvent> received() {
    const std::lock_guard lock(mutex);
    return events;
  }
  int64_t close_code() {
    const std::lock_guard lock(mutex);
    return closed_with;
  }

  std::optional<Provision<http::Connection>> connection;
  std::vector<Reply<http::Unsent>> held;
  std::mutex mutex;
  std::vector<http::ServerEvent> events;  // guarded by mutex, as is the next one
  int64_t closed_with = 0;
};

}  // namespace

TEST_CASE("the event log has the events of one tenant in order, each as webhooks send it") {
  WebhookReceiver receiver{{}};
  TestServer server(event_log_yaml(receiver.url()), nullptr, {probe::entry()});
  REQUIRE(server.start_error() == "");
  CHECK(read_events().body == R"({"data":[],"after":0,"newest":0,"next":null})");
  emit_event("call.started", R"({"callId":"oac-1","n": 12345678901234567890})");
  emit_event("call.ended", "{}", "b.example");
  emit_event("call.ended", R"({"callId":"oac-1"})");
  const auto delivered = receiver.wait_for(2);
  REQUIRE(delivered.size() == 2);
  const auto events = read_events();
  CHECK(events.status == 200);
  CHECK(numbers_of(events.body) == std::vector<int64_t>{1, 2});
  for (size_t i = 0; i < delivered.size(); ++i)
    CHECK(says(events, "{\"seq\":" + std::to_string(i + 1) + "," + delivered[i].body.substr(1)));
  CHECK(says(events, R"("after":2,"newest":2,"next":null)"));
  CHECK(numbers_of(read_events({{"after", "1"}}).body) == std::vector<int64_t>{2});
  CHECK(numbers_of(read_events({}, "b.example").body) == std::vector<int64_t>{1});
}

TEST_CASE("next leads through the whole log, with the same limit and topics") {
  TestServer server(event_log_yaml(), nullptr, {probe::entry()});
  REQUIRE(server.start_error() == "");
  for (int i = 0; i < 4; ++i) {
    emit_event("call.started");
    emit_event("call.ended");
  }
  auto events = read_events({{"limit", "3"}, {"topic", "call.ended"}});
  CHECK(numbers_of(events.body) == std::vector<int64_t>{2, 4, 6});
  CHECK(
      says(events, R"("after":6,"newest":8,"next":"/api.ashx/v1/events?after=6&limit=3&topic=call.ended")"));
  events = read_events({{"limit", "3"}, {"topic", "call.ended"}, {"after", "6"}});
  CHECK(numbers_of(events.body) == std::vector<int64_t>{8});
  CHECK(says(events, R"("after":8,"newest":8,"next":null)"));
  events = read_events({{"topic", "webhook.test,call.started"}, {"after", "7"}});
  CHECK(events.body == R"({"data":[],"after":8,"newest":8,"next":null})");
  CHECK(numbers_of(read_events({{"topic", "*"}}).body).size() == 8);
}

TEST_CASE("an unknown topic and a cursor of the future are refused with a reason") {
  TestServer server(event_log_yaml(), nullptr, {probe::entry()});
  REQUIRE(server.start_error() == "");
  emit_event("call.ended");
  const auto future = read_events({{"after", "2"}});
  CHECK(future.status == 400);
  CHECK(says(future, "after is beyond the newest event"));
  CHECK(read_events({{"after", "1"}}).status == 200);
  const auto topic = read_events({{"topic", "call.ended,core.secret"}});
  CHECK(topic.status == 400);
  CHECK(says(topic, "topic[1] is not the name of an event; known are "));
  CHECK_FALSE(says(topic, "core.secret"));
}

TEST_CASE("a cursor older than the log is 410 with the oldest one, from which a client continues") {
  core::ManualClock clock;
  TestServer server(event_log_yaml(), &clock, {probe::entry()});
  REQUIRE(server.start_error() == "");
  for (int i = 0; i < 3; ++i) emit_event("call.ended");
  clock.advance(std::chrono::hours(31 * 24));
  emit_event("call.started");
  // The sweep of old events runs an hour later, and again as long as one of the three is pending. It takes a
  // while, in which the clock must not reach the age of the newest event.
  int polls = 0;
  REQUIRE(probe::eventually([&] {
    if (polls++ % 100 == 0) clock.advance(std::chrono::hours(1));
    return says(read_events({{"after", "0"}}), R"("oldest":3,)");
  }));
  const auto gone = read_events({{"after", "1"}});
  CHECK(gone.status == 410);
  CHECK(says(gone, R"({"error":"gone","error_description":")"));
  CHECK(says(gone, R"("oldest":3,"newest":4})"));
  CHECK(numbers_of(read_events({{"after", "3"}}).body) == std::vector<int64_t>{4});
  CHECK(numbers_of(read_events().body) == std::vector<int64_t>{4});
  CHECK(read_events({{"after", "5"}}).status == 400);
}

TEST_CASE("a client that reads while others write, and across a restart, gets each event once") {
  TestServer server(event_log_yaml(), nullptr, {probe::entry()});
  REQUIRE(server.start_error() == "");
  constexpr int kEvents = 200;
  std::vector<int64_t> got;
  int64_t after = 0;
  const auto read_on = [&] {
    const auto events = read_events({{"after", std::to_string(after)}, {"limit", "7"}});
    REQUIRE(events.status == 200);
    for (const int64_t number : numbers_of(events.body)) got.push_back(number);
    if (!got.empty()) after = got.back();
  };
  std::thread writer([&] {
    for (int i = 0; i < kEvents / 2; ++i) CHECK(probe::emit({"call.ended", "a.example", "", "", "{}"}));
  });
  while (after < kEvents / 4) read_on();
  writer.join();
  server.restart();
  REQUIRE(server.start_error() == "");
  for (int i = 0; i < kEvents / 2; ++i) emit_event("call.started");
  while (after < kEvents) read_on();
  REQUIRE(got.size() == kEvents);
  for (size_t i = 0; i < got.size(); ++i) CHECK(got[i] == static_cast<int64_t>(i) + 1);
}

TEST_CASE("an event that webhooks do not deliver is not in the log") {
  TestServer server(event_log_yaml(), nullptr, {probe::entry()});
  REQUIRE(server.start_error() == "");
  emit_event("probe.internal");  // no manifest declares it
  emit_event("call.ended", "[]");
  emit_event("call.ended", "");
  const auto events = read_events();
  CHECK(numbers_of(events.body) == std::vector<int64_t>{3});
  CHECK(says(events, R"("data":{})"));
}

TEST_CASE("a stream whose next events were removed from the log ends with an event that says so") {
  core::ManualClock clock;
  TestServer server(event_log_yaml(), &clock, {probe::entry()});
  REQUIRE(server.start_error() == "");
  // The first one alone is a page of a stream.
  emit_event("call.ended", "{\"text\":\"" + std::string(200'000, 'x') + "\"}");
  for (int i = 0; i < 3; ++i) emit_event("call.ended");
  clock.advance(std::chrono::seconds(40));
  HeldClient client;
  REQUIRE(probe::eventually([&] { return client.received().size() == 2; }));
  CHECK(client.received()[1].id == "1");
  // Events that are pending are not removed.
  REQUIRE(probe::eventually([&] {
    return sql_value(server.data() / "patchbay.db", "SELECT COUNT(*) FROM core_pending").value_or("") == "0";
  }));
  clock.set_wall(clock.now_ms() + int64_t{31} * 24 * 3'600'000);
  emit_event("call.started");
  clock.advance(std::chrono::seconds(30));  // the first sweep of old events
  REQUIRE(probe::eventually([] { return read_events({{"after", "1"}}).status == 410; }));
  client.read_on();
  REQUIRE(probe::eventually([&] { return client.close_code() == 1001; }));
  const auto events = client.received();
  REQUIRE(events.size() == 3);
  CHECK(events[2].id == "");
  CHECK(events[2].event == "core.gone");
  CHECK(std::string(events[2].data.view()) == R"({"error":"gone","oldest":4,"newest":5})");
}
