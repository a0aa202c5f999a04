// The faults A to J of Pistache 0.0.5, which the bare library has, tested against HttpServer. C is in
// replies.cpp, D in tls.cpp and E in framing.cpp.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <atomic>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <vector>

#include "http_server_fixture.h"

using namespace rest_api_test;

namespace {

// CPU time of the whole process, in milliseconds.
double cpu_ms() {
  rusage use{};
  ::getrusage(RUSAGE_SELF, &use);
  const auto ms = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_usec) / 1e3;
  };
  return ms(use.ru_utime) + ms(use.ru_stime);
}

double cpu_ms_of(std::chrono::milliseconds wait) {
  const auto before = cpu_ms();
  std::this_thread::sleep_for(wait);  // the measured time itself, no synchronisation
  return cpu_ms() - before;
}

size_t data_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "VmData:") {
      size_t value = 0;
      status >> value;
      return value;
    }
  return 0;
}

}  // namespace

TEST_CASE_FIXTURE(ServerFixture, "fault A - the last CR and LF of a chunked body may arrive apart") {
  config.threads = 1;
  REQUIRE(start() != 0);
  auto client = connect();
  client.send("POST /v1/calls HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r");
  CHECK(cpu_ms_of(std::chrono::milliseconds(300)) < 150);
  auto other = connect();
  other.send(get("/v1/calls"));
  CHECK(other.receive()->status == 200);
  client.send("\n");
  CHECK(client.receive()->body == "route=2 body=abc");
}

TEST_CASE_FIXTURE(ServerFixture,
                  "fault B - a client that does not read does not delay others and is disconnected") {
  config.threads = 1;
  config.limits.write_ms = 700;
  const std::string big(64 * 1024, 'x');
  std::atomic<int> handled{0};
  handlers.on_request = [&](std::shared_ptr<Exchange> exchange) {
    ++handled;
    exchange->reply(200, {}, big);
  };
  REQUIRE(start() != 0);
  auto lazy = connect();
  lazy.set_receive_buffer(4096);
  // The requests are small, their responses are 64 MiB in total.
  std::thread sender([&] {
    for (int i = 0; i < 1000 && lazy.send(get("/v1/calls")); ++i) {
    }
  });
  sender.join();
  CHECK(cpu_ms_of(std::chrono::milliseconds(300)) < 150);
  auto other = connect();
  other.send(get("/v1/calls"));
  CHECK(other.receive()->status == 200);
  for (int i = 0; i < 1200 && server->stats().open > 1; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  CHECK(server->stats().open == 1);
  CHECK(handled < 200);  // responses that are not read are not produced
  server.reset();        // its handler uses locals of this test
}

TEST_CASE_FIXTURE(ServerFixture, "fault F - a declared length reserves no memory") {
  config.limits.max_body = size_t{4} << 30;
  REQUIRE(start() != 0);
  std::vector<Client> clients;
  const auto before = data_kib();
  for (int i = 0; i < 32; ++i) {
    clients.push_back(connect());
    clients.back().send("POST /v1/calls HTTP/1.1\r\nHost: a\r\nContent-Length: 2000000000\r\n\r\nx");
  }
  auto other = connect();
  other.send(get("/v1/calls"));
  CHECK(other.receive()->status == 200);
  CHECK(data_kib() < before + 200 * 1024);
}

TEST_CASE_FIXTURE(ServerFixture, "fault F - a body over the limit is 413 from its head") {
  REQUIRE(start() != 0);
  auto client = connect();
  client.send("POST /v1/calls HTTP/1.1\r\nHost: a\r\nContent-Length: 262145\r\n\r\n");
  auto answer = client.receive();
  REQUIRE(answer);
  CHECK(answer->status == 413);
  CHECK(answer->body ==
        R"({"error":"payload_too_large","error_description":"the body is larger than 262144 bytes"})");
  CHECK(answer->headers.at("connection") == "close");
  auto chunked = connect();
  chunked.send("POST /v1/calls HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n40001\r\n");
  answer = chunked.receive();
  REQUIRE(answer);
  CHECK(answer->status == 413);
  // A client that sends everything before it reads gets the response, not a reset.
  auto stubborn = connect();
  stubborn.send("POST /v1/calls HTTP/1.1\r\nHost: a\r\nContent-Length: 4000000\r\n\r\n" +
                std::string(4'000'000, 'x'));
  answer = stubborn.receive();
  REQUIRE(answer);
  CHECK(answer->status == 413);
  // 404 and 405 come first.
  auto lost = connect();
  lost.send("POST /nothing HTTP/1.1\r\nHost: a\r\nContent-Length: 262145\r\n\r\n");
  CHECK(lost.receive()->status == 404);
  CHECK(server->stats().requests == 3);  // the handler may still answer 401
}

TEST_CASE_FIXTURE(ServerFixture, "fault G - a 500 does not disclose its cause") {
  int pending = 0;
  handlers.on_request = [&](std::shared_ptr<Exchange> exchange) {
    switch (pending++) {
      case 0:
        throw std::runtime_error("secret");
      case 1:
        throw 42;
      case 2:
        return;  // dropped
      case 3:
        exchange->reply(200, {{"X", "a\r\nSet-Cookie: secret"}}, "secret");
        return;
      default:
        exchange->reply(99, {}, "secret");
    }
  };
  config.threads = 1;
  REQUIRE(start() != 0);
  auto client = connect();
  for (int i = 0; i < 5; ++i) {
    client.send(get("/v1/calls"));
    const auto answer = client.receive();
    REQUIRE(answer);
    CHECK(answer->status == 500);
    CHECK(answer->body.find(R"({"error":"internal_error","error_description":")") == 0);
    CHECK(answer->body.find("secret") == std::string::npos);
    CHECK(answer->headers.at("cache-control") == "no-store");
    CHECK(answer->headers.at("connection") == "keep-alive");
  }
}

TEST_CASE_FIXTURE(ServerFixture, "fault H - requests in one read are all answered, in order") {
  REQUIRE(start() != 0);
  auto client = connect();
  std::string batch;
  for (int i = 0; i < 200; ++i)
    batch += i % 3 == 0 ? post("/v1/calls", std::to_string(i)) : get("/v1/calls/" + std::to_string(i));
  std::thread sender([&] { client.send(batch); });
  for (int i = 0; i < 200; ++i) {
    const auto answer = client.receive();
    REQUIRE(answer);
    CHECK(answer->body == (i % 3 == 0 ? "route=2 body=" : "route=3 id=") + std::to_string(i));
  }
  sender.join();
}

TEST_CASE_FIXTURE(ServerFixture, "fault H - 100 Continue is sent only when the body will be read") {
  REQUIRE(start() != 0);
  auto client = connect();
  const std::string expect = "Expect: 100-continue\r\nContent-Length: 3\r\n\r\n";
  client.send("POST /v1/calls HTTP/1.1\r\nHost: a\r\n" + expect);
  CHECK(client.receive()->status == 100);
  client.send("abc");
  CHECK(client.receive()->body == "route=2 body=abc");
  client.send("POST /v1/calls HTTP/1.1\r\nHost: a\r\n" + expect + "abc");
  CHECK(client.receive()->status == 200);
  client.send("POST /nothing HTTP/1.1\r\nHost: a\r\n" + expect);
  CHECK(client.receive()->status == 404);
  CHECK(client.is_closed());
}

TEST_CASE_FIXTURE(ServerFixture,
                  "fault H - HEAD and OPTIONS work on a GET route, and unusual fields are accepted") {
  REQUIRE(start() != 0);
  auto client = connect();
  client.send("HEAD /v1/calls HTTP/1.1\r\nHost: a\r\n\r\n");
  CHECK(client.receive(true)->status == 200);
  client.send("OPTIONS /v1/calls HTTP/1.1\r\nHost: a\r\n\r\n");
  CHECK(client.receive()->status == 204);
  client.send("PATCH /v1/calls HTTP/1.1\r\nHost: a\r\n\r\n");
  CHECK(client.receive()->body.find("method_not_allowed") != std::string::npos);
  client.send("BREW /v1/calls HTTP/1.1\r\nHost: a\r\n\r\n");
  CHECK(client.receive()->status == 405);
  client.send(get("/v1/calls",
                  "Accept: nonsense\r\nContent-Type:\r\nCookie: a;;=;b\r\nCookie: \xff\r\nAllow: ?\r\n"));
  CHECK(client.receive()->status == 200);
  client.send(post("/v1/calls", "x", "Content-Encoding: gzip\r\n"));
  CHECK(client.receive()->status == 415);
}

TEST_CASE_FIXTURE(ServerFixture, "fault I - the connection is kept or closed as the response says") {
  REQUIRE(start() != 0);
  auto client = connect();
  for (int i = 0; i < 3; ++i) {
    client.send(get("/v1/calls"));
    CHECK(client.receive()->headers.at("connection") == "keep-alive");
  }
  client.send(get("/v1/calls", "Connection: close\r\n") + get("/v1/calls"));
  CHECK(client.receive()->headers.at("connection") == "close");
  CHECK(client.is_closed());
  CHECK(client.rest().empty());
}

TEST_CASE_FIXTURE(ServerFixture,
                  "fault J - bodies up to the limit are accepted whatever the size of the head") {
  REQUIRE(start() != 0);
  auto client = connect();
  const std::string body(256 * 1024, 'b');
  std::thread sender(
      [&] { client.send(post("/v1/calls", body, "X: " + std::string(15'000, 'h') + "\r\n")); });
  const auto answer = client.receive();
  sender.join();
  REQUIRE(answer);
  CHECK(answer->body.size() == body.size() + 13);
}

TEST_CASE_FIXTURE(ServerFixture, "fault J - hundreds of clients can connect while none is accepted") {
  std::atomic<bool> blocked{false};
  std::atomic<bool> go_on{false};
  handlers.on_request = [&](std::shared_ptr<Exchange> exchange) {
    blocked = true;
    while (!go_on) std::this_thread::yield();
    echo(exchange);
  };
  config.threads = 1;
  REQUIRE(start() != 0);
  auto first = connect();
  first.send(get("/v1/calls"));
  while (!blocked) std::this_thread::yield();
  std::vector<Client> clients;
  for (int i = 0; i < 400; ++i) clients.push_back(connect());
  // A SYN that met a full queue was sent again.
  uint32_t again = 0;
  for (const auto& client : clients) {
    tcp_info info{};
    socklen_t size = sizeof info;
    REQUIRE(::getsockopt(client.fd(), IPPROTO_TCP, TCP_INFO, &info, &size) == 0);
    again += info.tcpi_total_retrans;
  }
  CHECK(again == 0);
  go_on = true;
  for (auto& client : clients) {
    client.send(get("/v1/calls"));
    const auto answer = client.receive();
    REQUIRE(answer);
    CHECK(answer->status == 200);
  }
}

TEST_CASE_FIXTURE(ServerFixture, "fault J - a late response is sent") {
  config.limits.head_ms = 1000;
  config.limits.body_ms = 1000;
  config.limits.idle_ms = 1000;
  std::thread late;
  handlers.on_request = [&](std::shared_ptr<Exchange> exchange) {
    late = std::thread([exchange] {
      std::this_thread::sleep_for(std::chrono::milliseconds(2500));  // the lateness itself
      exchange->reply(200, {}, "late");
    });
  };
  REQUIRE(start() != 0);
  auto client = connect();
  client.send(post("/v1/calls", "x"));
  const auto answer = client.receive();
  late.join();
  REQUIRE(answer);
  CHECK(answer->body == "late");
}
