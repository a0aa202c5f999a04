#include <doctest/doctest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "http_server_fixture.h"

using namespace rest_api_test;

TEST_CASE_FIXTURE(ServerFixture, "a request reaches its route and gets its response") {
  REQUIRE(start() != 0);
  auto client = connect();
  client.send(get("/v1/calls/abc?x=1"));
  const auto answer = client.receive();
  REQUIRE(answer);
  CHECK(answer->status == 200);
  CHECK(answer->body == "route=3 id=abc ?x=1");
  CHECK(answer->headers.at("connection") == "keep-alive");
  CHECK(answer->headers.at("cache-control") == "no-store");
  CHECK(answer->headers.count("date") == 1);
}

TEST_CASE_FIXTURE(ServerFixture, "one connection carries many requests with bodies by length and chunked") {
  REQUIRE(start() != 0);
  auto client = connect();
  for (int i = 0; i < 50; ++i) {
    const auto body = std::string(static_cast<size_t>(i) * 100, 'x');
    client.send(post("/v1/calls", body));
    auto answer = client.receive();
    REQUIRE(answer);
    CHECK(answer->body == (body.empty() ? "route=2" : "route=2 body=" + body));
    client.send(
        "POST /v1/calls HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: "
        "chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nTrailer: x\r\n\r\n");
    answer = client.receive();
    REQUIRE(answer);
    CHECK(answer->body == "route=2 body=abcde");
  }
  CHECK(server->stats().accepted == 1);
}

TEST_CASE_FIXTURE(ServerFixture, "unmatched requests are 404 and 405, with their bodies and Allow") {
  REQUIRE(start() != 0);
  auto client = connect();
  client.send(get("/nothing"));
  auto answer = client.receive();
  REQUIRE(answer);
  CHECK(answer->status == 404);
  CHECK(answer->body == R"({"error":"not_found","error_description":"there is nothing at this path"})");
  CHECK(answer->headers.at("content-type") == "application/json");
  client.send("DELETE /v1/calls HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc");
  answer = client.receive();
  REQUIRE(answer);
  CHECK(answer->status == 405);
  CHECK(answer->headers.at("allow") == "GET, HEAD, POST, OPTIONS");
  CHECK(answer->headers.at("connection") == "keep-alive");
  client.send("OPTIONS /v1/calls/x HTTP/1.1\r\nHost: a\r\n\r\n");
  answer = client.receive();
  REQUIRE(answer);
  CHECK(answer->status == 204);
  CHECK(answer->headers.at("allow") == "GET, HEAD, OPTIONS");
  CHECK(answer->headers.count("content-length") == 0);
  client.send("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n");
  answer = client.receive();
  REQUIRE(answer);
  CHECK(answer->status == 204);
}

TEST_CASE_FIXTURE(ServerFixture, "every response has X-Request-Id and X-Content-Type-Options") {
  config.limits.head_ms = 2000;
  handlers.on_request = [](const std::shared_ptr<Exchange>& exchange) {
    if (exchange->route == kCall) return;  // dropped: 500
    exchange->reply(200, {{"X-Request-Id", "not-mine"}, {"X-Note", exchange->request_id}}, "x");
  };
  REQUIRE(start() != 0);
  const std::string id = "X-Request-Id: abc-1\r\n";
  const auto ask = [&](const std::string& bytes) {
    auto client = connect();
    client.send(bytes);
    auto answer = client.receive();
    REQUIRE(answer);
    CHECK(answer->headers["x-content-type-options"] == "nosniff");
    return *std::move(answer);
  };
  for (const auto& bytes :
       {get("/nothing", id), "DELETE" + get("/v1/calls", id).substr(3),
        "OPTIONS" + get("/v1/calls", id).substr(3), "OPTIONS * HTTP/1.1\r\nHost: a\r\n" + id + "\r\n",
        get("/v1/calls/7", id), get("/v1/calls", id), post("/v1/calls", std::string(300'000, 'x'), id)}) {
    CAPTURE(bytes.substr(0, 40));
    CHECK(ask(bytes).headers["x-request-id"] == "abc-1");
  }
  CHECK(ask(get("/v1/calls", id)).headers["x-note"] == "abc-1");
  CHECK(ask(get("/v1/calls", "X-Request-Id: a b\r\n")).headers["x-request-id"].size() == 16);
  for (const char* bytes : {"nonsense\r\n\r\n", "GET /slow"}) {
    CAPTURE(bytes);
    CHECK(ask(bytes).headers["x-request-id"].size() == 16);
  }
}

TEST_CASE_FIXTURE(ServerFixture, "HEAD is a GET without its body") {
  REQUIRE(start() != 0);
  auto client = connect();
  client.send("HEAD /v1/calls/abc HTTP/1.1\r\nHost: a\r\n\r\n" + get("/v1/calls/d"));
  auto answer = client.receive(true);
  REQUIRE(answer);
  CHECK(answer->status == 200);
  CHECK(answer->headers.at("content-length") == "14");
  answer = client.receive();
  REQUIRE(answer);
  CHECK(answer->body == "route=3 id=d");
}

TEST_CASE_FIXTURE(ServerFixture, "each listener role has its own routes") {
  const auto path =
      std::filesystem::temp_directory_path() / ("patchbay-http-" + std::to_string(::getpid()) + ".sock");
  config.listeners.push_back({kManagement, "127.0.0.1", 0, "", {}});
  config.listeners.push_back({kLocal, "", 0, path.string(), {}});
  REQUIRE(start() != 0);
  auto open = connect();
  open.send(get("/healthz"));
  CHECK(open.receive()->status == 404);
  auto management = connect(1);
  management.send(get("/healthz"));
  CHECK(management.receive()->status == 200);
  Client local(path.string());
  local.send(get("/admin"));
  CHECK(local.receive()->body == "route=9");
  CHECK(std::filesystem::status(path).permissions() == std::filesystem::perms(0600));
  server.reset();
  CHECK(!std::filesystem::exists(path));
}

TEST_CASE_FIXTURE(ServerFixture, "routes are replaced while requests are served") {
  REQUIRE(start() != 0);
  auto client = connect();
  std::atomic<bool> stop{false};
  std::thread changer([&] {
    while (!stop) CHECK(server->set_routes(routes).ok());
  });
  for (int i = 0; i < 500; ++i) {
    client.send(get("/v1/calls"));
    const auto answer = client.receive();
    CHECK(answer);
    if (!answer) break;
    CHECK(answer->status == 200);
  }
  stop = true;
  changer.join();
  routes.push_back({77, Method::get, "/new", {}, kPublic, false});
  REQUIRE(server->set_routes(routes).ok());
  auto later = connect();
  later.send(get("/new"));
  CHECK(later.receive()->body == "route=77");
  routes.push_back(routes.back());
  CHECK(server->set_routes(routes).error().code == patchbay::Code::conflict);
}

TEST_CASE_FIXTURE(ServerFixture, "HTTP 1.0 connections close unless the client asks for keep-alive") {
  REQUIRE(start() != 0);
  auto client = connect();
  client.send("GET /v1/calls HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  auto answer = client.receive();
  REQUIRE(answer);
  CHECK(answer->headers.at("connection") == "keep-alive");
  client.send("GET /v1/calls HTTP/1.0\r\n\r\n");
  answer = client.receive();
  REQUIRE(answer);
  CHECK(answer->headers.at("connection") == "close");
  CHECK(client.is_closed());
}

TEST_CASE_FIXTURE(ServerFixture, "stopping waits for requests in flight") {
  config.limits.linger_ms = 100;
  config.threads = 1;  // so that both connections drain in the same task
  std::shared_ptr<Exchange> kept;
  std::atomic<bool> has{false};
  handlers.on_request = [&](std::shared_ptr<Exchange> exchange) {
    kept = std::move(exchange);
    has = true;
  };
  REQUIRE(start() != 0);
  auto idle = connect();
  auto busy = connect();
  busy.send(get("/v1/calls"));
  while (!has) std::this_thread::yield();
  std::thread answerer([&] {
    CHECK(idle.is_closed());
    kept->reply(200, {}, "done");
    kept.reset();
  });
  server->stop(std::chrono::seconds(60));
  answerer.join();
  const auto answer = busy.receive();
  REQUIRE(answer);
  CHECK(answer->body == "done");
  CHECK(answer->headers.at("connection") == "close");
  CHECK(busy.is_closed());
}

TEST_CASE_FIXTURE(ServerFixture, "the error for an address in use names it") {
  REQUIRE(start() != 0);
  ServerFixture second;
  second.config.listeners[0].port = server->port(0);
  const auto refused = HttpServer::start(second.config, routes, handlers);
  REQUIRE(!refused.ok());
  CHECK(refused.error().text.find("127.0.0.1:" + std::to_string(server->port(0))) != std::string::npos);
}

TEST_CASE_FIXTURE(ServerFixture,
                  "a handler may reload certificates and sockets on the server's own threads") {
  config.threads = 2;
  handlers.on_request = [this](const std::shared_ptr<Exchange>& exchange) {
    const bool done = server->reload_tls().ok() && server->recreate_sockets().ok();
    exchange->reply(done ? 200 : 500, {}, "");
  };
  REQUIRE(start() != 0);
  for (int i = 0; i < 4; ++i) {  // on each thread
    auto client = connect();
    client.send(get("/v1/calls"));
    const auto answer = client.receive();
    REQUIRE(answer);
    CHECK(answer->status == 200);
  }
}
