#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <ctime>
#include <thread>
#include <vector>

#include "http_server_fixture.h"
#include "support/sanitizers.h"

using namespace rest_api_test;

namespace {

int highest_descriptor() {
  const int fd = ::open("/dev/null", O_RDONLY);
  ::close(fd);
  return fd;
}

}  // namespace

TEST_CASE_FIXTURE(ServerFixture,
                  "slow clients - a head that is not complete in time is 408, even if octets keep arriving") {
  config.limits.head_ms = 300;
  REQUIRE(start() != 0);
  auto client = connect();
  std::atomic<bool> answered{false};
  std::thread dripper([&] {
    for (int i = 0; i < 2400 && !answered && client.send("G"); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(25));
  });
  const auto answer = client.receive();
  answered = true;
  dripper.join();
  REQUIRE(answer);
  CHECK(answer->status == 408);
  CHECK(answer->headers.at("cache-control") == "no-store");
  CHECK(answer->headers.at("connection") == "close");
}

TEST_CASE_FIXTURE(ServerFixture, "slow clients - a body that is not complete in time is 408") {
  config.limits.body_ms = 200;
  REQUIRE(start() != 0);
  auto client = connect();
  client.send("POST /v1/calls HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab");
  const auto answer = client.receive();
  REQUIRE(answer);
  CHECK(answer->status == 408);
  CHECK(client.is_closed());
  CHECK(server->stats().requests == 0);
}

TEST_CASE_FIXTURE(
    ServerFixture,
    "slow clients - pipelined large responses to a client that does not read hold one at a time") {
  constexpr size_t kLarge = 16 * 1024 * 1024;  // more than the kernel takes
  config.threads = 1;
  handlers.on_request = [](const std::shared_ptr<Exchange>& exchange) {
    if (exchange->route == kCall) return echo(exchange);
    const std::string number = *exchange->query_value("n");
    exchange->reply(200, {}, number + std::string(kLarge - number.size(), 'x'));
  };
  REQUIRE(start() != 0);
  auto client = connect();
  std::string requests;
  for (int i = 0; i < 8; ++i) requests += get("/v1/calls?n=" + std::to_string(10 + i));
  client.send(requests);
  for (int i = 0; i < 100; ++i) {  // the one thread serves the large requests in between
    auto other = connect();
    other.send(get("/v1/calls/a"));
    REQUIRE(other.receive());
  }
  CHECK(server->stats().requests <= 101);
  CHECK(server->stats().response_bytes <= kLarge);
  for (int i = 0; i < 8; ++i) {
    const auto answer = client.receive();
    REQUIRE(answer);
    CHECK(answer->body.size() == kLarge);
    CHECK(answer->body.substr(0, 2) == std::to_string(10 + i));
  }
  CHECK(server->stats().response_bytes == 0);
}

TEST_CASE_FIXTURE(ServerFixture, "slow clients - a buffer is sent as it is, also when responses share it") {
  const auto shared = patchbay::Buffer::copy(std::string(3 * 1024 * 1024, 'b'));
  handlers.on_request = [&](const std::shared_ptr<Exchange>& exchange) {
    Response response;
    response.bytes = shared;
    exchange->reply(std::move(response));
  };
  REQUIRE(start() != 0);
  auto client = connect();
  for (int i = 0; i < 3; ++i) client.send(get("/v1/calls"));
  for (int i = 0; i < 3; ++i) {
    const auto answer = client.receive();
    REQUIRE(answer);
    CHECK(answer->body == shared.view());
  }
  client.send("HEAD /v1/calls HTTP/1.1\r\nHost: a\r\n\r\n");
  const auto head = client.receive(true);
  REQUIRE(head);
  CHECK(head->headers.at("content-length") == "3145728");
}

TEST_CASE_FIXTURE(ServerFixture,
                  "slow clients - when the memory for responses is used up the slowest reader makes room") {
  config.limits.max_bodies = 8 * 1024 * 1024;  // a client has 1 MiB, and a larger response takes half of it
  config.limits.max_body = 4096;
  config.limits.slow_ms = 300;
  handlers.on_request = [](const std::shared_ptr<Exchange>& exchange) {
    exchange->reply(200, {}, std::string(16 * 1024 * 1024, 'x'));
  };
  REQUIRE(start() != 0);
  auto lazy = connect();
  lazy.send(get("/v1/calls"));
  REQUIRE(lazy.read_some());
  auto second = connect();
  second.send(get("/v1/calls"));
  REQUIRE(second.read_some());
  int refused = 0;
  for (;;) {  // 503 until one of the others lags enough to be dropped
    auto eager = connect();
    eager.send(get("/v1/calls"));
    const auto answer = eager.receive();
    REQUIRE(answer);
    if (answer->status == 200) break;
    CHECK(answer->status == 503);
    CHECK(answer->headers.at("retry-after") == "1");
    ++refused;
  }
  CHECK(lazy.is_closed());
  CHECK(server->stats().response_refused == static_cast<uint64_t>(refused));
  CHECK(server->stats().shed_readers == 1);
}

TEST_CASE_FIXTURE(ServerFixture, "slow clients - an idle connection is closed without a response") {
  config.limits.idle_ms = 200;
  REQUIRE(start() != 0);
  auto fresh = connect();
  auto used = connect();
  used.send(get("/v1/calls"));
  CHECK(used.receive());
  CHECK(used.is_closed());
  CHECK(fresh.is_closed());
  CHECK(fresh.rest().empty());
}

TEST_CASE_FIXTURE(ServerFixture,
                  "slow clients - a client that never closes is disconnected after the last response") {
  config.limits.linger_ms = 200;
  REQUIRE(start() != 0);
  auto client = connect();
  client.send(get("/v1/calls", "Connection: close\r\n"));
  CHECK(client.receive());
  for (int i = 0; i < 3000 && server->stats().open > 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(server->stats().open == 0);
}

TEST_CASE_FIXTURE(ServerFixture,
                  "slow clients - at the limit of connections idle ones are closed for new ones") {
  config.threads = 1;
  config.limits.max_connections = 8;
  REQUIRE(start() != 0);
  std::vector<Client> idle;
  for (int i = 0; i < 40; ++i) {
    idle.push_back(connect());
    if (i % 2 == 0) idle.back().send("GET /v1");
  }
  for (int i = 0; i < 20; ++i) {
    auto client = connect();
    client.send(get("/v1/calls"));
    const auto answer = client.receive();
    REQUIRE(answer);
    CHECK(answer->status == 200);
  }
  CHECK(server->stats().open <= 8);
  CHECK(server->stats().shed >= 32);
}

// Not with UBSan, which comes with ASan: it opens a pipe to look at a vptr, and reports the object when there
// is none left.
TEST_CASE_FIXTURE(ServerFixture,
                  "slow clients - a listener has spare descriptors when the process has used up its limit" *
                      doctest::skip(patchbay::test::kHasAddressSanitizer)) {
  config.limits.spare_descriptors = 8;
  REQUIRE(start() != 0);
  std::vector<int> sockets;
  for (int i = 0; i < 4; ++i) sockets.push_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  rlimit usual{};
  ::getrlimit(RLIMIT_NOFILE, &usual);
  const rlimit tight{static_cast<rlim_t>(highest_descriptor()), usual.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &tight);
  CHECK(::open("/dev/null", O_RDONLY) == -1);
  std::vector<Client> clients;
  for (const int fd : sockets) clients.emplace_back(fd, server->port(0));
  for (auto& client : clients) {
    client.send(get("/v1/calls"));
    CHECK(client.receive());
  }
  ::setrlimit(RLIMIT_NOFILE, &usual);
}

TEST_CASE_FIXTURE(ServerFixture,
                  "slow clients - accepting pauses when descriptors run out, and continues later") {
  config.limits.spare_descriptors = 0;
  REQUIRE(start() != 0);
  auto first = connect();
  first.send(get("/v1/calls"));
  CHECK(first.receive());
  std::vector<int> sockets;
  for (int i = 0; i < 30; ++i) sockets.push_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  rlimit usual{};
  ::getrlimit(RLIMIT_NOFILE, &usual);
  const rlimit tight{static_cast<rlim_t>(highest_descriptor() + 5), usual.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &tight);
  std::vector<Client> clients;
  // With sockets opened before, because the server in this process would take a descriptor that is closed.
  for (const int fd : sockets) clients.emplace_back(fd, server->port(0));
  const auto before = std::clock();
  std::this_thread::sleep_for(std::chrono::milliseconds(400));  // the measured time itself
  CHECK(static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC < 0.2);
  ::setrlimit(RLIMIT_NOFILE, &usual);
  int served = 0;
  for (auto& client : clients) {
    client.send(get("/v1/calls"));
    if (client.receive()) ++served;
  }
  CHECK(served == 30);
}
