#include "websocket/client.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "support/websocket_server.h"

using namespace patchbay;
using lib::IoThread;
using lib::WebSocketClient;
using lib::WebSocketClose;
using lib::WebSocketOptions;
using support::WsPeer;
using support::WsServer;

namespace {

// Records the callbacks, so that the test thread can wait for them.
class Seen {
 public:
  lib::WebSocketCallbacks callbacks() {
    return {[this] { note([this] { opened = true; }); },
            [this](std::string_view data, bool binary) {
              note([&] { messages.push_back((binary ? "b:" : "t:") + std::string(data)); });
            },
            [this](const WebSocketClose& close) {
              note([&] {
                closes++;
                last = close;
              });
            }};
  }
  template <class F>
  bool wait(F condition) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(60), condition);
  }
  bool wait_closed() {
    return wait([this] { return closes > 0; });
  }

  bool opened = false;
  std::vector<std::string> messages;
  int closes = 0;
  WebSocketClose last;

 private:
  template <class F>
  void note(F change) {
    std::lock_guard lock(mutex_);
    change();
    changed_.notify_all();
  }
  std::mutex mutex_;
  std::condition_variable changed_;
};

WsServer::Script echo() {
  WsServer::Script script;
  script.on_message = [](const std::shared_ptr<WsPeer>& peer, std::string_view message, bool binary) {
    peer->send(std::string(message), binary);
  };
  return script;
}

std::unique_ptr<WebSocketClient> open(IoThread& io, const WsServer& server, Seen& seen,
                                      WebSocketOptions options = {}) {
  if (options.url.empty()) options.url = server.url("/path?key=1");
  options.ca_file = server.ca_file();
  auto client = WebSocketClient::open(io, options, seen.callbacks());
  REQUIRE(client.ok());
  return *std::move(client);
}

}  // namespace

TEST_CASE("text and binary come back, over TLS and without") {
  for (bool tls : {true, false}) {
    CAPTURE(tls);
    IoThread io;
    Seen seen;
    WsServer server(tls, echo());
    auto client = open(io, server, seen);
    REQUIRE(seen.wait([&] { return seen.opened; }));
    CHECK(client->send_text("hello").ok());
    CHECK(client->send_binary(std::string("\0\1", 2)).ok());
    CHECK(client->send_text(std::string(200000, 'x')).ok());
    REQUIRE(seen.wait([&] { return seen.messages.size() == 3; }));
    CHECK(seen.messages[0] == "t:hello");
    CHECK(seen.messages[1] == std::string("b:\0\1", 4));
    CHECK(seen.messages[2].size() == 200002);
    client->close(1000, "done");
    REQUIRE(seen.wait_closed());
    CHECK(seen.last.code == 1000);
    CHECK(seen.last.by_us);
    CHECK(seen.last.opened);
  }
}

TEST_CASE("fragments arrive as one message") {
  IoThread io;
  Seen seen;
  WsServer::Script script;
  script.on_open = [](std::shared_ptr<WsPeer> peer) { peer->send_fragments({"{\"a\"", ":", "1}"}, true); };
  WsServer server(true, script);
  auto client = open(io, server, seen);
  REQUIRE(seen.wait([&] { return seen.messages.size() == 1; }));
  CHECK(seen.messages[0] == "b:{\"a\":1}");
}

TEST_CASE("path and headers reach the server") {
  IoThread io;
  Seen seen;
  std::mutex mutex;
  WsServer::Request got;
  WsServer::Script script;
  script.on_request = [&](const WsServer::Request& request) {
    std::lock_guard lock(mutex);
    got = request;
    return 101;
  };
  WsServer server(true, script);
  WebSocketOptions options;
  options.headers = {{"x-goog-api-key", "SECRET"}};
  auto client = open(io, server, seen, options);
  REQUIRE(seen.wait([&] { return seen.opened; }));
  std::lock_guard lock(mutex);
  CHECK(got.target == "/path?key=1");
  CHECK(got.headers["x-goog-api-key"] == "SECRET");
  CHECK(got.headers["user-agent"] == "patchbay");
}

TEST_CASE("the peer's close code and reason are reported, made printable") {
  IoThread io;
  Seen seen;
  WsServer::Script script;
  script.on_open = [](std::shared_ptr<WsPeer> peer) { peer->close(1007, "bad\nfield"); };
  WsServer server(true, script);
  auto client = open(io, server, seen);
  REQUIRE(seen.wait_closed());
  CHECK(seen.last.code == 1007);
  CHECK(seen.last.reason == "bad\\x0afield");
  CHECK(!seen.last.by_us);
}

TEST_CASE("a dropped connection is reported once, as 1006") {
  IoThread io;
  Seen seen;
  WsServer::Script script;
  script.on_open = [](std::shared_ptr<WsPeer> peer) { peer->drop(); };
  WsServer server(true, script);
  auto client = open(io, server, seen);
  REQUIRE(seen.wait_closed());
  CHECK(seen.last.code == 1006);
  CHECK(seen.last.opened);
  CHECK(client->send_text("x").error().code == Code::unavailable);
  CHECK(seen.closes == 1);
}

TEST_CASE("a refused upgrade is reported with its HTTP status") {
  IoThread io;
  Seen seen;
  WsServer::Script script;
  script.on_request = [](const WsServer::Request&) { return 403; };
  WsServer server(true, script);
  auto client = open(io, server, seen);
  REQUIRE(seen.wait_closed());
  CHECK(seen.last.http_status == 403);
  CHECK(!seen.last.opened);
}

TEST_CASE("a silent server hits the handshake time-out") {
  IoThread io;
  Seen seen;
  WsServer::Script script;
  script.on_request = [](const WsServer::Request&) { return 0; };
  WsServer server(true, script);
  WebSocketOptions options;
  options.handshake_timeout_ms = 200;
  auto client = open(io, server, seen, options);
  REQUIRE(seen.wait_closed());
  CHECK(seen.last.error.find("handshake") != std::string::npos);
}

TEST_CASE("an unknown certificate and a wrong host name are refused") {
  IoThread io;
  WsServer server(true, echo());
  WsServer other(true, echo());
  Seen untrusted;
  WebSocketOptions options;
  options.url = server.url();
  options.ca_file = other.ca_file();
  auto first = WebSocketClient::open(io, options, untrusted.callbacks());
  REQUIRE(untrusted.wait_closed());
  CHECK(untrusted.last.error.find("certificate verify failed") != std::string::npos);

  Seen misnamed;  // the certificate names only localhost and 127.0.0.1
  options.url = "wss://127.0.0.2:" + std::to_string(server.port()) + "/";
  options.ca_file = server.ca_file();
  auto second = WebSocketClient::open(io, options, misnamed.callbacks());
  REQUIRE(misnamed.wait_closed());
  CHECK(!misnamed.last.opened);

  Seen by_address;
  options.url = "wss://127.0.0.1:" + std::to_string(server.port()) + "/";
  auto third = WebSocketClient::open(io, options, by_address.callbacks());
  CHECK(by_address.wait([&] { return by_address.opened; }));
}

TEST_CASE("the address hook can forbid a connection") {
  IoThread io;
  Seen seen;
  WsServer server(false, echo());
  WebSocketOptions options;
  std::atomic<int> asked{0};
  options.allow_address = [&](const std::string&) {
    ++asked;
    return false;
  };
  auto client = open(io, server, seen, options);
  REQUIRE(seen.wait_closed());
  CHECK(asked > 0);
  CHECK(seen.last.error.find("not allowed") != std::string::npos);
}

TEST_CASE("too large a message closes with 1009") {
  IoThread io;
  Seen seen;
  WsServer::Script script;
  script.on_open = [](std::shared_ptr<WsPeer> peer) { peer->send(std::string(5000, 'x'), false); };
  WsServer server(true, script);
  WebSocketOptions options;
  options.max_message_bytes = 4096;
  auto client = open(io, server, seen, options);
  REQUIRE(seen.wait_closed());
  CAPTURE(seen.last.error);
  CHECK(seen.last.code == 1009);
}

TEST_CASE("the send queue is bounded in bytes") {
  IoThread io;
  Seen seen;
  WsServer server(false, echo());
  WebSocketOptions options;
  options.max_queue_bytes = 1000;
  auto client = open(io, server, seen, options);
  REQUIRE(seen.wait([&] { return seen.opened; }));
  CHECK(client->send_text(std::string(1001, 'x')).error().code == Code::exhausted);
  CHECK(client->send_text(std::string(1000, 'x')).ok());
}

TEST_CASE("an idle connection is closed after idle_timeout_ms") {
  IoThread io;
  Seen seen;
  WsServer server(false, {});
  WebSocketOptions options;
  options.idle_timeout_ms = 300;
  auto client = open(io, server, seen, options);
  REQUIRE(seen.wait_closed());
  CHECK(seen.last.code == 1006);
}

TEST_CASE("a client may be destroyed at any moment, from any thread and from its own callback") {
  IoThread io;
  WsServer server(true, echo());
  for (int i = 0; i < 20; ++i) {
    Seen seen;
    auto client = open(io, server, seen);
    if (i % 2 == 0) {
      seen.wait([&] { return seen.opened; });
      (void)client->send_text("x");
    }
    std::thread([gone = std::move(client)] {}).join();
  }
  auto client = std::make_shared<std::unique_ptr<WebSocketClient>>();
  std::mutex mutex;
  std::condition_variable changed;
  bool gone = false;
  lib::WebSocketCallbacks callbacks;
  callbacks.on_message = [&](std::string_view, bool) {
    client->reset();
    std::lock_guard lock(mutex);
    gone = true;
    changed.notify_all();
  };
  WebSocketOptions options;
  options.url = server.url();
  options.ca_file = server.ca_file();
  callbacks.on_open = [client] { (void)(*client)->send_text("x"); };
  std::mutex start;
  {
    std::unique_lock hold(start);
    io.post([&start] { std::lock_guard wait(start); });  // so that *client is set before on_open
    *client = *WebSocketClient::open(io, options, callbacks);
  }
  std::unique_lock lock(mutex);
  CHECK(changed.wait_for(lock, std::chrono::seconds(60), [&] { return gone; }));
}

TEST_CASE("a header value with a line break is refused at once") {
  IoThread io;
  WebSocketOptions options;
  options.url = "ws://localhost/";
  options.headers = {{"x-key", "SECRET\r\nX: y"}};
  auto client = WebSocketClient::open(io, options, {});
  REQUIRE(!client.ok());
  CHECK(client.error().text.find("SECRET") == std::string::npos);
}

TEST_CASE("signals and timers run on the io thread") {
  std::atomic<int> signals{0};
  std::atomic<bool> fired{false};
  IoThread io;
  lib::IoSignal signal(io, [&] { ++signals; });
  signal.notify();
  auto timer = std::make_shared<lib::IoTimer>(io);
  io.post([&, timer] {
    timer->start(1, [] { CHECK(false); });
    timer->start(5, [&] { fired = io.on_thread(); });
  });
  for (int i = 0; i < 1000 && !(fired && signals > 0); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK(fired);
  CHECK(signals == 1);
  signal.notify();
  for (int i = 0; i < 6000 && signals < 2; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK(signals == 2);
  io.post([gone = std::move(timer)] {});
  io.drain();
}
