#include <doctest/doctest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "http/stream_output.h"
#include "http_server_fixture.h"

using namespace rest_api_test;

namespace {

const std::string kUpgrade =
    "GET /signal.ashx HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n\r\n";

struct EchoStream final : Stream {
  explicit EchoStream(StreamWriter w, size_t max_unsent = 1'000'000)
      : writer(std::move(w)), output(writer, max_unsent) {}
  void send(std::string text) {
    if (output.put(std::move(text))) return;
    broken = true;
    writer.wake();
  }
  void on_data(std::string_view bytes) override {
    send("<" + std::string(bytes) + ">");
    if (bytes == "bye") output.end("");
  }
  void write_to(OutputQueue& queue) override { output.write_to(queue); }
  void on_unsent(size_t octets) override { output.on_unsent(octets); }
  bool is_finished() const noexcept override { return output.is_done(); }
  bool is_broken() const noexcept override { return broken; }
  void on_stopping() override { output.end("<stopping>"); }
  void on_closed() override {
    output.close();
    closed = true;
  }
  StreamWriter writer;
  StreamOutput output;
  std::atomic<bool> broken{false};
  std::atomic<bool> closed{false};
};

// The streams that a handler has opened.
struct Streams {
  std::mutex mutex;
  std::condition_variable changed;
  std::shared_ptr<EchoStream> last;

  void open(const std::shared_ptr<Exchange>& exchange, int status) {
    auto stream = std::make_shared<EchoStream>(exchange->writer());
    exchange->stream(status, {{"X-Stream", "1"}}, stream);
    const std::lock_guard lock(mutex);
    last = std::move(stream);
    changed.notify_all();
  }
  std::shared_ptr<EchoStream> get() {
    std::unique_lock lock(mutex);
    changed.wait_for(lock, std::chrono::seconds(60), [&] { return last != nullptr; });
    return last;
  }
};

bool eventually(const std::atomic<bool>& flag) {
  for (int i = 0; i < 6000 && !flag; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return flag;
}

std::string read_until(Client& client, const std::string& end) {
  while (client.rest().find(end) == std::string::npos)
    if (!client.read_some()) break;
  return client.rest();
}

}  // namespace

TEST_CASE_FIXTURE(ServerFixture,
                  "streams - an upgrade passes the connection on, with octets that arrived early") {
  Streams streams;
  handlers.on_request = [&](std::shared_ptr<Exchange> exchange) {
    CHECK(exchange->route == kSocket);
    CHECK(exchange->upgrade);
    streams.open(exchange, 101);
  };
  REQUIRE(start() != 0);
  auto client = connect();
  client.send(kUpgrade + "GET early");
  const auto answer = client.receive();
  REQUIRE(answer);
  CHECK(answer->status == 101);
  CHECK(answer->headers.at("connection") == "Upgrade");
  CHECK(answer->headers.at("upgrade") == "websocket");
  CHECK(answer->headers.at("x-stream") == "1");
  CHECK(answer->headers.count("content-length") == 0);
  CHECK(read_until(client, "<GET early>") == "<GET early>");
  client.send("bye");
  CHECK(read_until(client, "<bye>") == "<GET early><bye>");
  CHECK(client.is_closed());
  CHECK(eventually(streams.get()->closed));
  server.reset();
}

TEST_CASE_FIXTURE(ServerFixture, "streams - an upgrade may be refused, and the connection stays usable") {
  handlers.on_request = [](std::shared_ptr<Exchange> exchange) {
    if (exchange->upgrade)
      exchange->reply_error(403, "insufficient_role", "no");
    else
      echo(exchange);
  };
  REQUIRE(start() != 0);
  auto client = connect();
  client.send(kUpgrade + get("/v1/calls"));
  CHECK(client.receive()->status == 403);
  CHECK(client.receive()->body == "route=1");
}

TEST_CASE_FIXTURE(ServerFixture,
                  "streams - events are sent from other threads until the client disconnects") {
  Streams streams;
  routes.push_back({50, Method::get, "/events", {}, kPublic, false, true});
  handlers.on_request = [&](std::shared_ptr<Exchange> exchange) {
    std::thread([&streams, exchange] { streams.open(exchange, 200); }).join();
  };
  REQUIRE(start() != 0);
  std::optional<Client> client(connect());
  client->send(get("/events"));
  const auto answer = client->receive();
  REQUIRE(answer);
  CHECK(answer->headers.at("connection") == "close");
  CHECK(answer->headers.at("cache-control") == "no-store");
  const auto stream = streams.get();
  REQUIRE(stream);
  std::string expected;
  for (int i = 0; i < 100; ++i) {
    const auto event = "data: " + std::to_string(i) + "\n\n";
    stream->send(event);
    expected += event;
  }
  CHECK(read_until(*client, "data: 99\n\n") == expected);
  client.reset();
  CHECK(eventually(stream->closed));
  stream->send("ignored");
  server.reset();
  stream->writer.close();
}

TEST_CASE_FIXTURE(ServerFixture,
                  "streams - a client that does not read is disconnected before it uses up memory") {
  Streams streams;
  handlers.on_request = [&](std::shared_ptr<Exchange> exchange) { streams.open(exchange, 101); };
  REQUIRE(start() != 0);
  auto client = connect();
  client.set_receive_buffer(4096);
  client.send(kUpgrade);
  const auto stream = streams.get();
  REQUIRE(stream);
  for (int i = 0; i < 2000 && !stream->closed; ++i) stream->send(std::string(10'000, 'x'));
  CHECK(eventually(stream->closed));
  server.reset();
}

TEST_CASE_FIXTURE(ServerFixture, "streams - only routes with `streams` or `upgrade` may stream") {
  handlers.on_request = [](std::shared_ptr<Exchange> exchange) {
    exchange->stream(200, {}, std::make_shared<EchoStream>(exchange->writer()));
  };
  REQUIRE(start() != 0);
  auto client = connect();
  client.send(get("/v1/calls"));
  CHECK(client.receive()->status == 500);
  client.send(get("/v1/calls"));
  CHECK(client.receive()->status == 500);
}

TEST_CASE_FIXTURE(ServerFixture, "streams - a stream is asked to finish when the server stops") {
  Streams streams;
  handlers.on_request = [&](std::shared_ptr<Exchange> exchange) { streams.open(exchange, 101); };
  REQUIRE(start() != 0);
  auto client = connect();
  client.send(kUpgrade);
  REQUIRE(client.receive());
  server->stop(std::chrono::seconds(60));
  CHECK(read_until(client, "<stopping>") == "<stopping>");
  CHECK(client.is_closed());
  CHECK(eventually(streams.get()->closed));
}

TEST_CASE_FIXTURE(ServerFixture,
                  "streams - what waits is passed on in parts, and flush() answers when a quarter is left") {
  Streams streams;
  handlers.on_request = [&](std::shared_ptr<Exchange> exchange) { streams.open(exchange, 101); };
  REQUIRE(start() != 0);
  auto client = connect();
  client.send(kUpgrade);
  REQUIRE(client.receive());
  const auto stream = streams.get();
  REQUIRE(stream);
  for (int i = 0; i < 9; ++i)
    CHECK(stream->output.put("<", patchbay::Buffer::copy(std::string(100'000, 'x')), ">"));
  std::atomic<bool> flushed{false};
  stream->output.flush([&](const patchbay::Result<size_t>& unsent) {
    CHECK(unsent);
    CHECK(*unsent <= 250'000);
    flushed = true;
  });
  stream->send("end");
  const std::string all = read_until(client, "end");
  CHECK(all.size() == 9 * 100'002 + 3);
  CHECK(eventually(flushed));
}
