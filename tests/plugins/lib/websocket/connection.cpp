// A connection with a server that writes its frames byte by byte, and may break the protocol.
#include "websocket/connection.h"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "plugins/lib/websocket/raw_server.h"

using namespace patchbay;
using namespace patchbay::lib;
using namespace patchbay::lib::test;

TEST_CASE_FIXTURE(ConnectionFixture, "frames behind the response to the upgrade are read") {
  connect(server_frame(0x81, "first") + server_frame(0x82, "second"));
  CHECK(report.wait([this] { return report.messages.size() == 2; }));
  CHECK(report.messages == std::vector<std::string>{"first", "second"});
}

TEST_CASE_FIXTURE(ConnectionFixture, "many messages of one segment arrive in order, and a ping is answered") {
  connect();
  std::string all;
  for (int i = 0; i < 2000; ++i) all += server_frame(0x81, std::to_string(i));
  server.write(all + server_frame(0x89, "are you there?"));
  CHECK(server.read_frame() ==
        "\x8a"
        "are you there?");
  REQUIRE(report.wait([this] { return report.messages.size() == 2000; }));
  for (size_t i = 0; i < 2000; ++i) CHECK(report.messages[i] == std::to_string(i));
}

TEST_CASE_FIXTURE(ConnectionFixture,
                  "pings received together are answered once, with the last one's payload") {
  std::string pings;
  for (int i = 0; i < 500; ++i) pings += server_frame(0x89, std::to_string(i));
  connect(pings + server_frame(0x81, "message"));
  REQUIRE(report.wait([this] { return report.messages.size() == 1; }));
  CHECK(client->send_text("after").ok());
  CHECK(server.read_frame() ==
        "\x8a"
        "499");
  CHECK(server.read_frame() ==
        "\x81"
        "after");
}

TEST_CASE_FIXTURE(ConnectionFixture, "messages sent together arrive in order") {
  connect();
  REQUIRE(report.wait_open());
  for (int i = 0; i < 100; ++i) CHECK(client->send_text(std::to_string(i)).ok());
  for (int i = 0; i < 100; ++i) CHECK(server.read_frame() == "\x81" + std::to_string(i));
  CHECK(within(kMaxWait, [this] { return client->queued_bytes() == 0; }));
}

TEST_CASE_FIXTURE(ConnectionFixture, "a close frame of the server is answered and reported") {
  connect(server_frame(0x88,
                       "\x03\xf3"
                       "later"));
  CHECK(server.read_frame() == "\x88\x03\xf3");
  CHECK(server.read(1) == "");
  REQUIRE(report.wait_closed());
  CHECK(report.closes[0].code == 1011);
  CHECK(report.closes[0].reason == "later");
  CHECK_FALSE(report.closes[0].by_us);
}

TEST_CASE_FIXTURE(ConnectionFixture, "a close frame without a code is reported as 1005") {
  connect(server_frame(0x88, ""));
  CHECK(server.read_frame() == "\x88");
  REQUIRE(report.wait_closed());
  CHECK(report.closes[0].code == 1005);
}

TEST_CASE("a server that breaks the protocol is disconnected, with a code") {
  const std::pair<std::string, std::string> cases[] = {{std::string("\x81\x80\0\0\0\0", 6), "\x03\xea"},
                                                       {server_frame(0xc1, "x"), "\x03\xea"},
                                                       {server_frame(0x80, "x"), "\x03\xea"},
                                                       {server_frame(0x81, "\xff"), "\x03\xef"}};
  for (const auto& [bytes, code] : cases) {
    ConnectionFixture one;
    one.connect(server_frame(0x81, "good") + bytes + server_frame(0x81, "after"));
    CHECK(one.server.read_frame() == "\x88" + code);
    REQUIRE(one.report.wait_closed());
    CHECK(one.report.closes[0].code == 1006);
    CHECK(one.report.closes[0].error.starts_with("read: the peer sent a"));
    CHECK(one.report.messages == std::vector<std::string>{"good"});
  }
}

TEST_CASE("the end of the connection is reported once, with or without a message in part") {
  for (const std::string& bytes : {std::string(), std::string("\x81\x05he"), std::string("\x01\x02he")}) {
    ConnectionFixture one;
    one.connect(bytes);
    REQUIRE(one.report.wait_open());
    one.server.hang_up();
    REQUIRE(one.report.wait_closed());
    one.io.drain();
    CHECK(one.report.closes.size() == 1);
    CHECK(one.report.closes[0].code == 1006);
    CHECK(one.report.closes[0].opened);
    CHECK(one.report.messages.empty());
  }
}

TEST_CASE_FIXTURE(ConnectionFixture, "a server that does not answer a close frame is left after a time") {
  connect();
  REQUIRE(report.wait_open());
  client->close(1000, "bye");
  CHECK(server.read_frame() ==
        "\x88\x03\xe8"
        "bye");
  server.write(server_frame(0x81, "ignored"));
  REQUIRE(report.wait_closed());
  CHECK(report.closes[0].code == 1000);
  CHECK(report.closes[0].by_us);
  CHECK(report.messages.empty());
}

TEST_CASE_FIXTURE(ConnectionFixture,
                  "closing drops queued messages, but completes the frame that was begun") {
  connect();
  REQUIRE(report.wait_open());
  const std::string large(3u << 20, 'x');
  CHECK(client->send_binary(large).ok());
  CHECK(client->send_text("dropped").ok());
  io.drain();
  client->close(1000, "");
  io.drain();
  const std::string head = server.read(14);
  REQUIRE(head.size() == 14);
  const std::string payload = server.read(large.size());
  REQUIRE(payload.size() == large.size());
  CHECK(static_cast<char>(payload[0] ^ head[10]) == 'x');
  CHECK(server.read_frame() == "\x88\x03\xe8");
}

TEST_CASE_FIXTURE(ConnectionFixture, "a full socket reports when its queue was written") {
  WebSocketOptions options;
  options.url = server.url();
  std::atomic<int> sent{0};
  auto callbacks = report.callbacks();
  callbacks.on_sent = [&] { ++sent; };
  client = *WebSocketClient::open(io, options, callbacks);
  server.accept();
  REQUIRE(report.wait_open());
  CHECK(client->send_text("small").ok());
  CHECK(server.read_frame() == "\x81small");
  io.drain();
  CHECK(sent == 0);
  const std::string large(3u << 20, 'x');
  CHECK(client->send_binary(large).ok());
  io.drain();
  CHECK(client->queued_bytes() == large.size());
  CHECK(server.read(large.size() + 14).size() == large.size() + 14);
  CHECK(within(kMaxWait, [&] { return sent > 0 && client->queued_bytes() == 0; }));
}

TEST_CASE_FIXTURE(ConnectionFixture,
                  "for a server that does not read, the kernel buffers no more than it may") {
  WebSocketOptions options;
  options.max_unsent_bytes = 16 * 1024;
  connect({}, options);
  REQUIRE(report.wait_open());
  const int fd = server.find_client();
  REQUIRE(fd >= 0);
  std::promise<size_t> most_unsent;
  io.post([&] {
    const std::string message(4000, 'x');  // 100 ms of audio
    size_t most = 0;
    for (int i = 0; i < 10'000 && client->queued_bytes() == 0; ++i) {
      CHECK(client->send_binary(message).ok());
      int bytes = 0;
      CHECK(::ioctl(fd, SIOCOUTQNSD, &bytes) == 0);
      most = std::max(most, static_cast<size_t>(bytes));
    }
    CHECK(client->queued_bytes() > 0);
    most_unsent.set_value(most);
  });
  auto found = most_unsent.get_future();
  REQUIRE(found.wait_for(kMaxWait) == std::future_status::ready);
  CHECK(found.get() < 16 * 1024 + 16 * 1024 / 4 + 4008);
}

TEST_CASE_FIXTURE(ConnectionFixture, "a close frame is reported also if writing fails before it is read") {
  connect();
  REQUIRE(report.wait_open());
  CHECK(client->send_binary(std::string(3u << 20, 'x')).ok());
  io.drain();
  std::promise<void> blocked, release;
  const std::shared_future<void> released = release.get_future().share();
  io.post([&blocked, released] {
    blocked.set_value();
    released.wait_for(kMaxWait);
  });
  REQUIRE(blocked.get_future().wait_for(kMaxWait) == std::future_status::ready);
  server.write(server_frame(0x88,
                            "\x03\xf3"
                            "later"));
  server.hang_up();  // what it has not read makes the client's next write fail
  release.set_value();
  REQUIRE(report.wait_closed());
  CHECK(report.closes[0].code == 1011);
  CHECK(report.closes[0].reason == "later");
}

TEST_CASE_FIXTURE(ConnectionFixture, "the next address is tried when one does not answer") {
  // A listener whose queue is full answers no more connections.
  const int silent = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  REQUIRE(::bind(silent, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  REQUIRE(::listen(silent, 0) == 0);
  socklen_t size = sizeof address;
  ::getsockname(silent, reinterpret_cast<sockaddr*>(&address), &size);
  std::vector<int> waiting(8);
  for (int& fd : waiting) {
    fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    (void)::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  }
  io.impl().resolver.set_look_up([&](const std::string&, uint16_t port) -> Resolver::Endpoints {
    return std::vector{*parse_endpoint("127.0.0.1", ntohs(address.sin_port)),
                       *parse_endpoint("127.0.0.1", port)};
  });
  WebSocketOptions options;
  options.url = "ws://two-addresses" + server.url().substr(server.url().rfind(':'));
  options.connect_timeout_ms = 4000;
  client = *WebSocketClient::open(io, options, report.callbacks());
  const bool is_left = report.wait([&] { return server.has_client() || !report.closes.empty(); });
  for (const int fd : waiting) ::close(fd);
  ::close(silent);
  REQUIRE(is_left);
  REQUIRE(report.closes.empty());
  server.accept();
  CHECK(report.wait_open());
}

TEST_CASE("no look-up is made for a connection that ended while it waited") {
  std::promise<void> release;
  const std::shared_future<void> released = release.get_future().share();
  std::atomic<bool> begun{false};
  std::atomic<int> wasted{0};
  Report report;
  IoThread io;
  io.impl().resolver.set_look_up([&](const std::string& host, uint16_t) -> Resolver::Endpoints {
    begun = true;
    if (host == "slow") released.wait_for(kMaxWait);
    if (host == "ended") ++wasted;
    return Error{Code::unavailable, "no address"};
  });
  const auto open = [&](const std::string& host, WebSocketCallbacks callbacks) {
    WebSocketOptions options;
    options.url = "ws://" + host + "/";
    return *WebSocketClient::open(io, options, std::move(callbacks));
  };
  const auto slow = open("slow", {});
  REQUIRE(within(kMaxWait, [&] { return begun.load(); }));
  const auto ended = open("ended", {});
  const auto last = open("last", report.callbacks());
  io.drain();
  ended->close(1000, "");
  io.drain();
  release.set_value();
  CHECK(report.wait_closed());
  CHECK(wasted == 0);
}

TEST_CASE("a thread may end while the look-up of a connection hangs") {
  struct Hanging {
    std::atomic<bool> begun{false}, ended{false};
    std::promise<void> release;
  };
  const auto hanging = std::make_shared<Hanging>();  // shared with the look-up, which outlives the thread
  Report report;
  {
    IoThread io;
    io.impl().resolver.set_look_up([hanging](const std::string&, uint16_t) -> Resolver::Endpoints {
      hanging->begun = true;
      hanging->release.get_future().wait_for(kMaxWait);
      hanging->ended = true;
      return Error{Code::unavailable, "no address"};
    });
    WebSocketOptions options;
    options.url = "ws://slow/";
    const auto client = WebSocketClient::open(io, options, report.callbacks());
    REQUIRE(client.ok());
    CHECK(within(kMaxWait, [&] { return hanging->begun.load(); }));
    (*client)->close(1000, "");
    CHECK(report.wait_closed());
  }
  CHECK_FALSE(hanging->ended);
  hanging->release.set_value();
  CHECK(within(kMaxWait, [&] { return hanging.use_count() == 1; }));
  CHECK(report.closes.size() == 1);
}

TEST_CASE("a thread may end while its connections are open or in part") {
  RawServer server;
  Report report;
  {
    IoThread io;
    WebSocketOptions options;
    options.url = server.url();
    auto first = WebSocketClient::open(io, options, report.callbacks());
    server.accept();
    REQUIRE(report.wait_open());
    auto second = WebSocketClient::open(io, options, {});
    (*first)->close(1000, "");
  }
  CHECK(server.read(8).size() <= 8);
}
