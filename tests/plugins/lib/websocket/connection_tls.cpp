// A connection through TLS, whose server decides when its records arrive and what is read.
#include <doctest/doctest.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <functional>
#include <future>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "plugins/lib/websocket/raw_server.h"
#include "plugins/lib/websocket/tls_server.h"
#include "websocket/connection.h"

using namespace patchbay;
using namespace patchbay::lib;
using namespace patchbay::lib::test;

namespace {

// A connection through TLS over a Unix socket, whose buffer is full at the end of a record, never within one.
struct UnixTlsFixture {
  UnixTlsFixture() {
    REQUIRE(::bind(listener, &endpoint.address.any, sizeof(sa_family_t)) == 0);  // the system chooses a name
    REQUIRE(::listen(listener, 1) == 0);
    endpoint.size = sizeof endpoint.address;
    REQUIRE(::getsockname(listener, &endpoint.address.any, &endpoint.size) == 0);
    io.impl().resolver.set_look_up(
        [this](const std::string&, uint16_t) -> Resolver::Endpoints { return std::vector{endpoint}; });
  }
  ~UnixTlsFixture() { ::close(listener); }

  void connect(std::function<void()> on_message, WebSocketOptions options = {}) {
    if (options.url.empty()) options.url = "wss://localhost/";
    options.verify_peer = false;
    auto callbacks = report.callbacks();
    callbacks.on_message = [record = callbacks.on_message, on_message](std::string_view data,
                                                                       bool is_binary) {
      record(data, is_binary);
      on_message();
    };
    client = *WebSocketClient::open(io, options, callbacks);
    io.post([this, made = client.get()] { sender = made; });
    server.emplace(::accept(listener, nullptr, nullptr), context);
    REQUIRE(within(kMaxWait, [this] { return server->handshake(); }));
    std::string request;
    REQUIRE(within(kMaxWait, [&] {
      server->receive();
      request += server->read();
      return request.find("\r\n\r\n") != std::string::npos;
    }));
    server->write(upgrade_response(request));
    server->flush();
    REQUIRE(report.wait_open());
  }
  // The thread sees all at once.
  void send_at_once(const std::function<void()>& write) {
    std::promise<void> blocked, sent;
    io.post([&blocked, done = sent.get_future().share()] {
      blocked.set_value();
      done.wait_for(kMaxWait);
    });
    REQUIRE(blocked.get_future().wait_for(kMaxWait) == std::future_status::ready);
    write();
    server->flush();
    sent.set_value();
  }
  bool thread_sleeps() {
    int tid = 0;
    io.post([&tid] { tid = ::gettid(); });
    io.drain();
    return within(kMaxWait, [&] {
      std::ifstream file("/proc/self/task/" + std::to_string(tid) + "/stat");
      const std::string stat((std::istreambuf_iterator<char>(file)), {});
      return stat.find(") S ") != std::string::npos;
    });
  }

  const test::TlsServerContext context = test::make_server_context();
  const int listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  Endpoint endpoint = [] {
    Endpoint out;
    out.address.any.sa_family = AF_UNIX;
    return out;
  }();
  Report report;
  IoThread io;
  WebSocketClient* sender = nullptr;  // the client, for the io thread
  std::optional<test::TlsServer> server;
  std::unique_ptr<WebSocketClient> client;
};

}  // namespace

TEST_CASE_FIXTURE(UnixTlsFixture,
                  "a TLS session is resumed by connections with the same URL and headers only") {
  const auto is_resumed = [this](const std::string& url, const std::string& key) {
    WebSocketOptions options;
    options.url = url;
    options.headers = {{"x-key", key}};
    report.opened = false;
    connect([] {}, options);
    client.reset();
    io.drain();
    return ::SSL_session_reused(server->tls()) == 1;
  };
  const std::string url = "wss://localhost/a";
  CHECK_FALSE(is_resumed(url, "tenant 1"));
  CHECK(is_resumed(url, "tenant 1"));
  CHECK_FALSE(is_resumed(url, "tenant 2"));
  CHECK_FALSE(is_resumed(url + "?key=2", "tenant 1"));
  CHECK_FALSE(is_resumed("wss://localhost:444/a", "tenant 1"));
  CHECK(is_resumed(url, "tenant 1"));
}

TEST_CASE(
    "a TLS read that must write first goes on when the server reads again, and the thread sleeps until "
    "then") {
  constexpr size_t kMessages = 200;
  for (const size_t message_bytes : {8000u, 5000u, 3000u}) {
    CAPTURE(message_bytes);
    std::atomic<bool> full{false};
    UnixTlsFixture one;
    one.connect([&] {
      if (full) return;
      CHECK(one.sender->send_binary(std::string(message_bytes, 'x')).ok());
      full = one.sender->queued_bytes() > 0;
    });
    // TLS answers each KeyUpdate before the next message, and cannot do so once the buffer is full.
    one.send_at_once([&] {
      for (size_t i = 0; i < kMessages; ++i) {
        one.server->update_key(SSL_KEY_UPDATE_REQUESTED);
        one.server->write(server_frame(0x81, std::to_string(i)));
      }
    });
    REQUIRE(within(kMaxWait, [&] { return full.load(); }));
    one.server->write(server_frame(0x81, "last"));
    one.server->flush();
    CHECK(one.thread_sleeps());
    size_t received = 0;
    const auto receive = [&] {
      one.server->receive();
      received += one.server->read().size();
      const std::lock_guard lock(one.report.mutex);
      return one.report.messages.size() == kMessages + 1;
    };
    CHECK(within(kMaxWait, receive));
    CHECK(one.report.messages.back() == "last");
    CHECK(one.client->send_text("after").ok());
    CHECK(within(kMaxWait, [&] {
      receive();
      return received % (message_bytes + 8) == 11;
    }));
  }
}

TEST_CASE_FIXTURE(UnixTlsFixture,
                  "a server that sends faster than its data is handled has no more than its turn") {
  constexpr size_t kMessages = 200;
  std::atomic<size_t> messages{0};
  connect([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // slower than the server
    ++messages;
  });
  // A task that queues itself runs once in every turn of the thread.
  size_t before = 0, most = 0;
  std::atomic<bool> measuring{true};
  std::function<void()> turn = [&] {
    most = std::max(most, messages - before);
    before = messages;
    if (measuring) io.post(turn);
  };
  io.post(turn);
  const std::string frame = std::string("\x82\x7e\x27\x10", 4) + std::string(10'000, 'x');
  for (size_t i = 0; i < kMessages; ++i) server->write(frame);
  server->flush(true);
  CHECK(within(kMaxWait, [&] { return messages == kMessages; }));
  measuring = false;
  io.drain();
  io.drain();
  CHECK(most <= 20);  // 200 KB
}
