// Connection with a clock and a transport that the test drives.
#include "http/connection.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <utility>

using namespace patchbay::rest_api;
using namespace std::chrono_literals;

namespace {

// The pending operations of the transport.
struct Wire {
  Transport::Client starting, reading, writing;
  char* buffer = nullptr;
  size_t takes_now = 0;  // octets that the kernel takes without waiting
  bool closed = false;
};

class ManualTransport final : public Transport {
 public:
  explicit ManualTransport(Wire& wire) : wire_(wire) {}
  void start(Client client) override { wire_.starting = std::move(client); }
  void read(char* buffer, size_t, Client client) override {
    wire_.buffer = buffer;
    wire_.reading = std::move(client);
  }
  void write(const WritePieces&, Client client) override { wire_.writing = std::move(client); }
  size_t write_now(const WritePieces& pieces) noexcept override {
    size_t octets = 0;
    for (const auto& piece : pieces) octets += piece.size();
    return std::min(octets, wire_.takes_now);
  }
  void linger(Client) override {}
  void close() noexcept override { wire_.closed = true; }

 private:
  Wire& wire_;
};

// Answers each request with a body of `answer` octets, in a handler that answer_all() calls.
struct FakeHost final : ConnectionHost {
  struct Port final : ReplyPort {
    void deliver(uint64_t, uint64_t slot, Response response) noexcept override {
      if (const auto to = connection.lock()) to->respond(slot, std::move(response));
    }
    void proceed(uint64_t) noexcept override {}
    void wake(uint64_t) noexcept override {}
    void close(uint64_t) noexcept override {}
    void drop_body(uint64_t) noexcept override {}
    void drop_reader(uint64_t) noexcept override {}
    std::weak_ptr<Connection> connection;
  };

  ServerLimits server_limits = [] {
    ServerLimits limits;
    limits.answer_ms = 120'000;
    return limits;
  }();
  TrustedProxies trusted;
  std::shared_ptr<BodyBudget> budget = std::make_shared<BodyBudget>(1024, 1024, 5s);
  std::unique_ptr<Router> routes = *Router::create({{1, Method::get, "/a", {}, kPublic, false}}, kPublic);
  std::shared_ptr<Port> port = std::make_shared<Port>();
  Clock::time_point time{};
  size_t answer = 0;
  std::deque<std::shared_ptr<Exchange>> waiting;
  const Wire* wire = nullptr;
  bool written_in_handler = false;

  const ServerLimits& limits() const noexcept override { return server_limits; }
  const TrustedProxies& proxies() const noexcept override { return trusted; }
  Router& router(ListenerRole) noexcept override { return *routes; }
  std::shared_ptr<ReplyPort> reply_port() const noexcept override { return port; }
  std::string_view date() override { return "Thu, 01 Jan 1970 00:00:00 GMT"; }
  Clock::time_point now() const noexcept override { return time; }
  void dispatch(uint64_t, std::shared_ptr<Exchange> exchange) noexcept override {
    waiting.push_back(std::move(exchange));
  }
  void answer_all(Connection& connection) {
    while (!waiting.empty()) {
      const auto exchange = std::move(waiting.front());
      waiting.pop_front();
      exchange->reply(200, {}, std::string(answer, 'x'));
      written_in_handler = wire->writing != nullptr;
      connection.handler_returned(exchange->slot());
    }
  }
  bool authorize_head(uint64_t, const std::shared_ptr<Exchange>&) noexcept override { return false; }
  std::string new_request_id() override { return "0123456789abcdef"; }
  void count_refused() noexcept override {}
  void count_body_refused() noexcept override {}
  void count_response_refused() noexcept override {}
  const std::shared_ptr<BodyBudget>& bodies() const noexcept override { return budget; }
  const std::shared_ptr<BodyBudget>& response_bodies() const noexcept override { return budget; }
  uint32_t hsts_sec() const noexcept override { return 0; }
  void closed(uint64_t) noexcept override {}
};

// A connection that is writing a response of `answer` octets.
struct Reader {
  Wire wire;
  FakeHost host;
  std::shared_ptr<Connection> connection;

  explicit Reader(size_t answer) {
    host.answer = answer;
    host.wire = &wire;
    connection = std::make_shared<Connection>(Connection::Info{1, "192.0.2.1", kPublic},
                                              std::make_unique<ManualTransport>(wire), host);
    host.port->connection = connection;
    connection->start();
    std::exchange(wire.starting, nullptr)->on_ready(IoResult::ok);
    asks();
  }
  ~Reader() { connection->close(); }
  // The client sends a request, which is answered.
  void asks() {
    constexpr std::string_view kGet = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n";
    std::memcpy(wire.buffer, kGet.data(), kGet.size());
    std::exchange(wire.reading, nullptr)->on_read(IoResult::ok, kGet.size());
    host.answer_all(*connection);
  }
  // The client reads so much after a while. False: the connection is closed.
  bool takes(size_t octets, Clock::duration after) {
    host.time += after;
    connection->tick(host.time);
    if (wire.closed || !wire.writing) return false;
    std::exchange(wire.writing, nullptr)->on_written(IoResult::ok, octets);
    return true;
  }
};

}  // namespace

TEST_CASE("a client that reads too slowly is disconnected though it keeps reading") {
  Reader reader(300'000);
  REQUIRE(reader.wire.writing);
  int rounds = 0;
  while (rounds < 50 && reader.takes(4'000, 29s)) ++rounds;
  CHECK(reader.wire.closed);
  CHECK(rounds <= 2);
}

TEST_CASE("a client that reads as slowly as a modem gets its whole response") {
  Reader reader(300'000);
  for (int i = 0; i < 70; ++i) REQUIRE(reader.takes(4'000, 2s));
  CHECK(reader.connection->lag(reader.host.time) == 0s);
  CHECK_FALSE(reader.wire.closed);
}

TEST_CASE("the lag of a connection is that of its reader, and zero while it is idle") {
  Reader reader(1'000);
  reader.host.time += 7s;
  CHECK(reader.connection->lag(reader.host.time) == 7s);
  CHECK_FALSE(reader.connection->is_idle());
  std::exchange(reader.wire.writing, nullptr)->on_written(IoResult::ok, 300);
  CHECK(reader.wire.writing);
  reader.host.time += 5s;
  CHECK(reader.connection->lag(reader.host.time) > 11s);
}

TEST_CASE("the lag of a reader ends when the kernel takes the rest of a response without waiting") {
  Reader reader(1'000);
  reader.wire.takes_now = 1'000'000;
  std::exchange(reader.wire.writing, nullptr)->on_written(IoResult::ok, 300);
  CHECK_FALSE(reader.wire.writing);
  reader.wire.takes_now = 0;
  reader.host.time += 40s;  // idle for longer than ServerLimits::write_ms
  reader.asks();
  REQUIRE(reader.wire.writing);
  CHECK(reader.connection->lag(reader.host.time) == 0s);
  reader.connection->tick(reader.host.time);
  CHECK_FALSE(reader.wire.closed);
}

TEST_CASE("a response is written although its handler has not returned yet") {
  Reader reader(10);
  CHECK(reader.host.written_in_handler);
}

TEST_CASE("the next request is read once the handler of the one before it has returned or answered") {
  FakeHost host;
  Wire wire;
  host.wire = &wire;
  const auto connection = std::make_shared<Connection>(Connection::Info{1, "192.0.2.1", kPublic},
                                                       std::make_unique<ManualTransport>(wire), host);
  host.port->connection = connection;
  connection->start();
  std::exchange(wire.starting, nullptr)->on_ready(IoResult::ok);
  const std::string get = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n";
  const std::string all = get + get + get;
  std::memcpy(wire.buffer, all.data(), all.size());
  std::exchange(wire.reading, nullptr)->on_read(IoResult::ok, all.size());
  REQUIRE(host.waiting.size() == 1);
  host.time += 11s;  // the head of the second is not late, because the connection does not read it
  connection->tick(host.time);
  connection->handler_returned(host.waiting.back()->slot());
  REQUIRE(host.waiting.size() == 2);
  connection->handler_returned(host.waiting.front()->slot());  // again: no effect
  REQUIRE(host.waiting.size() == 2);
  host.waiting.back()->reply(200, {}, "second");
  REQUIRE(host.waiting.size() == 3);
  CHECK_FALSE(wire.writing);
  host.waiting.front()->reply(200, {}, "first");
  CHECK(wire.writing);
  connection->close();
}
