// Limits of connections and of the memory for bodies, with many clients or many connections of one client.
#include <doctest/doctest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "http_server_fixture.h"

using namespace rest_api_test;

namespace {

constexpr std::chrono::seconds kPatience{60};

template <class F>
bool eventually(F holds) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

std::string post_head(const std::string& target, size_t length, const std::string& extra = "") {
  return "POST " + target + " HTTP/1.1\r\nHost: test\r\n" + extra +
         "Content-Length: " + std::to_string(length) + "\r\n\r\n";
}

// A client that sends the beginning of a body and then stalls.
Client stuck_in_body(const ServerFixture& fixture) {
  auto client = fixture.connect();
  client.send(post_head("/v1/calls", 1000) + "x");
  return client;
}

}  // namespace

TEST_CASE_FIXTURE(ServerFixture, "limits - public clients cannot use up the connections of the operator") {
  const auto path =
      std::filesystem::temp_directory_path() / ("patchbay-limits-" + std::to_string(::getpid()) + ".sock");
  config.threads = 1;
  config.limits.max_connections = 8;
  config.listeners.push_back({kManagement, "127.0.0.1", 0, "", {}});
  config.listeners.push_back({kLocal, "", 0, path.string(), {}});
  REQUIRE(start() != 0);
  std::vector<Client> crowd;
  for (int i = 0; i < 8; ++i) crowd.push_back(stuck_in_body(*this));
  REQUIRE(eventually([&] { return server->stats().open_by[0] == 8; }));
  for (int i = 0; i < 20; ++i) {
    auto management = connect(1);
    management.send(get("/healthz"));
    const auto health = management.receive();
    REQUIRE(health);
    CHECK(health->status == 200);
    Client local(path.string());
    local.send(get("/admin"));
    CHECK(local.receive());
  }
  CHECK(server->stats().open_by[0] == 8);
  CHECK(server->stats().shed == 0);
}

TEST_CASE_FIXTURE(ServerFixture, "limits - connections with slow bodies are closed when none is idle") {
  config.threads = 1;
  config.limits.max_connections = 8;
  config.limits.slow_ms = 100;
  REQUIRE(start() != 0);
  std::vector<Client> crowd;
  for (int i = 0; i < 8; ++i) crowd.push_back(stuck_in_body(*this));
  REQUIRE(eventually([&] { return server->stats().open == 8; }));
  REQUIRE(eventually([&] {
    auto client = connect();
    client.send(get("/v1/calls"));
    const auto answer = client.receive();
    return answer && answer->status == 200;
  }));
  CHECK(server->stats().shed_slow >= 1);
}

TEST_CASE_FIXTURE(ServerFixture, "limits - connections that do not read are closed when none is idle") {
  config.threads = 1;
  config.limits.max_connections = 8;
  config.limits.slow_ms = 100;
  handlers.on_request = [big = std::string(1 << 20, 'x')](const std::shared_ptr<Exchange>& exchange) {
    exchange->reply(200, {}, exchange->route == kCalls ? big : "small");
  };
  REQUIRE(start() != 0);
  std::vector<Client> crowd;
  std::string pipelined;
  for (int i = 0; i < 16; ++i) pipelined += get("/v1/calls");
  for (int i = 0; i < 8; ++i) {
    crowd.push_back(connect());
    crowd.back().set_receive_buffer(4096);
    crowd.back().send(pipelined);
  }
  REQUIRE(eventually([&] { return server->stats().open == 8; }));
  REQUIRE(eventually([&] {
    auto client = connect();
    client.send(get("/v1/calls/1"));
    const auto answer = client.receive();
    return answer && answer->body == "small";
  }));
  CHECK(server->stats().shed_readers >= 1);
}

TEST_CASE_FIXTURE(ServerFixture, "limits - a body that stalls is dropped for others") {
  config.limits.max_body = 64 * 1024;
  config.limits.max_bodies = 64 * 1024;
  config.limits.slow_ms = 100;
  config.trusted_proxies = {"127.0.0.1"};
  REQUIRE(start() != 0);
  auto holder = connect();
  holder.patience = kPatience;
  holder.send(post_head("/v1/calls", 60'000, "X-Forwarded-For: 192.0.2.1\r\n") + std::string(59'000, 'x'));
  REQUIRE(eventually([&] { return server->stats().body_bytes >= 54'000; }));
  REQUIRE(eventually([&] {
    auto client = connect();
    client.patience = kPatience;
    client.send(post("/v1/calls", std::string(60'000, 'x'), "X-Forwarded-For: 192.0.2.2\r\n"));
    const auto answer = client.receive();
    return answer && answer->status == 200;
  }));
  const auto given_up = holder.receive();
  REQUIRE(given_up);
  CHECK(given_up->status == 408);
  CHECK(server->stats().body_dropped == 1);
  CHECK(eventually([&] { return server->stats().body_bytes == 0; }));
}

TEST_CASE_FIXTURE(ServerFixture, "limits - a body that would not fit a frame of an isolated plugin is 413") {
  config.limits.max_bodies = size_t{1} << 30;
  routes.push_back({50, Method::post, "/large", {}, kPublic, false});
  routes.back().max_body = 16 * 1024 * 1024;
  REQUIRE(start() != 0);
  auto client = connect();
  client.send(post_head("/large", 15 * 1024 * 1024 + 1));
  const auto answer = client.receive();
  REQUIRE(answer);
  CHECK(answer->status == 413);
}

TEST_CASE_FIXTURE(ServerFixture, "limits - a route may set the limit of its bodies") {
  config.limits.max_body = 64 * 1024;
  config.limits.max_bodies = 1024 * 1024;
  routes.push_back({50, Method::post, "/large", {}, kPublic, false});
  routes.back().max_body = 100'000;
  routes.push_back({51, Method::post, "/small", {}, kPublic, false});
  routes.back().max_body = 1'000;
  routes.push_back({52, Method::post, "/endless", {}, kPublic, false});
  routes.back().max_body = 10'000'000;
  REQUIRE(start() != 0);
  const auto answer_to = [&](const std::string& bytes) {
    auto client = connect();
    client.patience = kPatience;
    client.send(bytes);
    auto answer = client.receive();
    REQUIRE(answer);
    return answer;
  };
  CHECK(answer_to(post("/large", std::string(100'000, 'x')))->status == 200);
  CHECK(answer_to(post_head("/large", 100'001))->status == 413);
  CHECK(answer_to(post("/small", std::string(1'000, 'x')))->status == 200);
  const auto refused = answer_to(post("/small", std::string(1'001, 'x')));
  CHECK(refused->status == 413);
  CHECK(refused->body.find("the body is larger than 1000 bytes") != std::string::npos);
  CHECK(answer_to("POST /small HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n")->status ==
        413);
  CHECK(answer_to(post_head("/v1/calls", 64 * 1024 + 1))->status == 413);
  CHECK(answer_to(post_head("/endless", 128 * 1024 + 1))->status == 413);  // more than a client's share
}

TEST_CASE_FIXTURE(ServerFixture, "limits - the connections of one address are limited") {
  config.limits.max_per_address = 5;
  REQUIRE(start() != 0);
  std::vector<Client> mine;
  for (int i = 0; i < 5; ++i) mine.push_back(connect());
  REQUIRE(eventually([&] { return server->stats().open == 5; }));
  CHECK(connect().is_closed());
  CHECK(server->stats().over_address == 1);
  mine.pop_back();
  REQUIRE(eventually([&] { return server->stats().open == 4; }));
  auto next = connect();
  next.send(get("/v1/calls"));
  CHECK(next.receive());
}

TEST_CASE_FIXTURE(ServerFixture, "limits - the connections of a trusted proxy are not limited") {
  config.limits.max_per_address = 2;
  config.trusted_proxies = {"127.0.0.1"};
  REQUIRE(start() != 0);
  std::vector<Client> all;
  for (int i = 0; i < 10; ++i) {
    all.push_back(connect());
    all.back().send(get("/v1/calls"));
    CHECK(all.back().receive());
  }
}

TEST_CASE_FIXTURE(ServerFixture, "limits - the body of a refused request is not waited for") {
  routes.push_back({50, Method::post, "/secured", {}, kPublic, false});
  routes.back().needs_bearer = true;
  REQUIRE(start() != 0);
  const auto status = [&](const std::string& head) {
    auto client = connect();
    client.patience = kPatience;
    client.send(head);  // without any of the body
    const auto answer = client.receive();
    return answer ? answer->status : 0;
  };
  CHECK(status(post_head("/nothing", 200'000)) == 404);
  CHECK(status(post_head("/healthz", 200'000)) == 404);
  CHECK(status("DELETE" + post_head("/v1/calls", 200'000).substr(4)) == 405);
  CHECK(status(post_head("/secured", 200'000)) == 401);
  CHECK(status("POST /secured HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n") == 401);
  CHECK(eventually([&] { return server->stats().body_bytes == 0; }));
  auto kept = connect();
  kept.send(post("/secured", "short") + get("/v1/calls"));
  CHECK(kept.receive()->status == 401);
  CHECK(kept.receive()->status == 200);
}

TEST_CASE_FIXTURE(ServerFixture, "limits - a large body is read after its bearer was checked") {
  routes.push_back({50, Method::post, "/secured", {}, kPublic, false});
  routes.back().needs_bearer = true;
  std::atomic<int> looked{0};
  std::vector<std::thread> lookers;
  std::mutex mutex;
  handlers.on_head = [&](std::shared_ptr<Exchange> exchange, std::function<void()> proceed) {
    ++looked;
    const std::lock_guard lock(mutex);
    lookers.emplace_back([exchange = std::move(exchange), proceed = std::move(proceed)] {
      if (*exchange->header("authorization") == "bad")
        exchange->refusal = Refusal{401, "invalid_token", "the bearer is not valid"};
      proceed();
    });
  };
  REQUIRE(start() != 0);
  auto bad = connect();
  bad.patience = kPatience;
  bad.send(post_head("/secured", 200'000, "Authorization: bad\r\n"));  // without any of the body
  const auto refused = bad.receive();
  REQUIRE(refused);
  CHECK(refused->status == 401);
  CHECK(refused->headers.at("connection") == "close");
  auto chunked = connect();
  chunked.patience = kPatience;
  chunked.send(
      "POST /secured HTTP/1.1\r\nHost: a\r\nAuthorization: bad\r\nTransfer-Encoding: chunked\r\n\r\n");
  CHECK(chunked.receive()->status == 401);
  auto good = connect();
  good.patience = kPatience;
  good.send(post_head("/secured", 100'000, "Authorization: good\r\nExpect: 100-continue\r\n"));
  CHECK(good.receive(true)->status == 100);
  good.send(std::string(100'000, 'x'));
  CHECK(good.receive()->body.size() > 100'000);
  CHECK(looked == 3);
  good.send(post("/secured", std::string(10'000, 'y'), "Authorization: bad\r\n") +
            post("/secured", std::string(10'000, 'z'), "Authorization: good\r\n"));
  CHECK(good.receive()->status == 401);  // short enough to be read and dropped
  CHECK(good.receive()->body.find("zzz") != std::string::npos);
  CHECK(looked == 5);
  good.send(post("/secured", "small", "Authorization: bad\r\n"));
  CHECK(good.receive()->status == 200);  // not counted, so not checked before
  CHECK(looked == 5);
  CHECK(eventually([&] { return server->stats().body_bytes == 0; }));
  server.reset();
  for (auto& looker : lookers) looker.join();
}

TEST_CASE_FIXTURE(ServerFixture, "limits - a bearer that is never checked is 503 after the timeout") {
  config.limits.answer_ms = 200;
  routes.push_back({50, Method::post, "/secured", {}, kPublic, false});
  routes.back().needs_bearer = true;
  std::function<void()> late;
  std::mutex mutex;
  handlers.on_head = [&](std::shared_ptr<Exchange>, std::function<void()> proceed) {
    const std::lock_guard lock(mutex);
    late = std::move(proceed);
  };
  REQUIRE(start() != 0);
  auto client = connect();
  client.patience = kPatience;
  client.send(post_head("/secured", 200'000, "Authorization: any\r\n"));
  const auto answer = client.receive();
  REQUIRE(answer);
  CHECK(answer->status == 503);
  const std::lock_guard lock(mutex);
  late();
  CHECK(client.is_closed());
}

TEST_CASE_FIXTURE(ServerFixture,
                  "limits - the memory for bodies is bounded, and small requests are still served") {
  config.limits.max_body = 64 * 1024;
  config.limits.slow_ms = 60'000;
  config.limits.max_bodies = 256 * 1024;
  config.limits.max_per_address = 1000;
  config.trusted_proxies = {"127.0.0.1"};
  REQUIRE(start() != 0);
  std::vector<Client> holders;
  const auto hold = [&](const std::string& from) {
    holders.push_back(connect());
    holders.back().send(
        post_head("/v1/calls", 60'000, "Authorization: x\r\nX-Forwarded-For: " + from + "\r\n") +
        std::string(50'000, 'x'));
  };
  for (int i = 0; i < 5; ++i) hold("192.0.2." + std::to_string(i));
  REQUIRE(eventually([&] { return server->stats().body_bytes >= 5 * 45'000; }));
  auto large = connect();
  large.send(post_head("/v1/calls", 60'000) + std::string(60'000, 'x'));
  const auto refused = large.receive();
  REQUIRE(refused);
  CHECK(refused->status == 503);
  CHECK(refused->headers.at("connection") == "close");
  auto small = connect();
  small.send(post("/v1/calls", "{}"));
  CHECK(small.receive()->status == 200);
  CHECK(server->stats().body_refused == 1);
  holders.clear();
  CHECK(eventually([&] { return server->stats().body_bytes == 0; }));
}

TEST_CASE_FIXTURE(ServerFixture, "limits - one client may use only its share of the memory for bodies") {
  config.limits.max_body = 64 * 1024;
  config.limits.slow_ms = 60'000;
  config.limits.max_bodies = 1024 * 1024;
  REQUIRE(start() != 0);
  std::vector<Client> holders;
  for (int i = 0; i < 4; ++i) {
    holders.push_back(connect());
    holders.back().send(post_head("/v1/calls", 60'000) + std::string(50'000, 'x'));
  }
  CHECK(eventually([&] { return server->stats().body_refused == 2; }));
  CHECK(server->stats().body_bytes <= 128 * 1024);
}

TEST_CASE_FIXTURE(ServerFixture, "limits - the heads of unanswered requests are bounded") {
  config.limits.max_head = 4 * 1024;
  config.threads = 1;
  std::vector<std::shared_ptr<Exchange>> kept;
  std::mutex mutex;
  handlers.on_request = [&](std::shared_ptr<Exchange> exchange) {
    const std::lock_guard lock(mutex);
    kept.push_back(std::move(exchange));
  };
  REQUIRE(start() != 0);
  auto client = connect();
  for (int i = 0; i < 16; ++i)
    client.send("GET /v1/calls HTTP/1.1\r\nHost: a\r\nX: " + std::string(3500, 'x') + "\r\n\r\n");
  auto probe = connect();  // served after what the same thread has read before
  probe.send(get("/v1/calls"));
  const auto count = [&] {
    const std::lock_guard lock(mutex);
    return kept.size();
  };
  REQUIRE(eventually([&] { return count() >= 4; }));
  CHECK(count() <= 5);
  size_t answered = 0;
  while (answered < 17) {
    REQUIRE(eventually([&] { return count() > 0; }));
    const std::lock_guard lock(mutex);
    for (const auto& exchange : kept) exchange->reply(200, {}, "x");
    answered += kept.size();
    kept.clear();
  }
  for (int i = 0; i < 16; ++i) CHECK(client.receive());
}
