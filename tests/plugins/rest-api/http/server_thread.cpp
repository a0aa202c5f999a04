// Handlers that block the server thread.
#include "http/server_thread.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <future>
#include <memory>

#include "http_server_fixture.h"
#include "support/within.h"

using namespace rest_api_test;
using namespace std::chrono_literals;

namespace {

// Lets a handler block until release(); may outlive the server.
struct Block {
  std::promise<void> promise;
  std::shared_future<void> released = promise.get_future().share();
  std::atomic<int> entered{0};
  std::atomic<int> left{0};

  void enter() {
    ++entered;
    released.wait();
    ++left;
  }
  void release() { promise.set_value(); }
};

struct BlockingServer : ServerFixture {
  std::shared_ptr<Block> block = std::make_shared<Block>();
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("patchbay-block-" + std::to_string(::getpid()) + ".sock");

  // GET /v1/calls/{id} blocks if the server's thread may run its work.
  BlockingServer() {
    config.threads = 1;
    config.listeners.push_back({kManagement, "127.0.0.1", 0, "", {}});
    config.listeners.push_back({kLocal, "", 0, path.string(), {}});
    handlers.on_request = [block = block](const std::shared_ptr<Exchange>& exchange) {
      const bool stays = exchange->may_run_here;
      if (exchange->route == kCall && stays) block->enter();
      exchange->reply(200, {}, stays ? "here" : "elsewhere");
    };
  }
  // A client whose request blocks the server's thread.
  Client blocked_client() {
    const int before = block->entered;
    auto client = connect();
    client.send(get("/v1/calls/a"));
    CHECK(within(60s, [&] { return block->entered > before; }));
    return client;
  }
  std::string ask(Client client, const std::string& target) {
    client.send(get(target));
    const auto answer = client.receive();
    return answer ? answer->body : "none";
  }
};

}  // namespace

TEST_CASE_FIXTURE(BlockingServer, "a handler that blocks delays its own request only") {
  REQUIRE(start() != 0);
  auto open = connect();
  open.send(get("/v1/calls"));
  CHECK(open.receive()->body == "here");
  auto blocked = blocked_client();
  open.send(get("/v1/calls"));
  CHECK(open.receive()->body == "elsewhere");
  CHECK(ask(connect(), "/v1/calls") == "elsewhere");
  CHECK(ask(connect(1), "/healthz") == "elsewhere");
  CHECK(ask(Client(path.string()), "/admin") == "elsewhere");
  CHECK(ask(connect(), "/v1/calls/b") == "elsewhere");  // the same handler
  CHECK(server->stats().blocked_calls == 1);
  CHECK(server->set_routes(routes).ok());
  CHECK(server->recreate_sockets().ok());
  CHECK(block->left == 0);

  block->release();
  CHECK(blocked.receive()->body == "here");
  // Its connection is served on, and its thread has exited, so that another call may block.
  CHECK(within(60s, [&] {
    blocked.send(get("/v1/calls"));
    const auto answer = blocked.receive();
    return answer && answer->body == "here";
  }));
  CHECK(server->stats().blocked_calls == 1);
}

TEST_CASE_FIXTURE(BlockingServer, "a server stops although a handler blocks, which may then return") {
  REQUIRE(start() != 0);
  auto blocked = blocked_client();
  auto idle = connect();
  server->stop(0ms);
  CHECK(block->left == 0);
  CHECK_FALSE(blocked.receive());
  CHECK(idle.is_closed());
  server.reset();
  handlers = {};
  CHECK(block.use_count() == 2);  // ours, and that of the handler
  block->release();
  CHECK(within(60s, [&] { return block.use_count() == 1; }));
  CHECK(block->left == 1);
}

TEST_CASE_FIXTURE(BlockingServer, "calls that block one after the other each lose their connections") {
  std::promise<void> second_promise;
  const auto second = second_promise.get_future().share();
  std::atomic<int> in_second{0};
  handlers.on_request = [&, block = block](const std::shared_ptr<Exchange>& exchange) {
    if (exchange->route == kCall) block->enter();
    if (exchange->route == kTurns) {
      ++in_second;
      second.wait();
    }
    exchange->reply(200, {}, "done");
  };
  REQUIRE(start() != 0);
  auto first_client = blocked_client();
  auto second_client = connect();
  second_client.send(get("/v1/calls/a/turns"));  // blocks the second thread, against the rule
  CHECK(within(60s, [&] { return in_second == 1; }));
  block->release();
  CHECK(first_client.receive()->body == "done");
  CHECK(ask(connect(), "/v1/calls") == "done");
  CHECK(server->stats().blocked_calls == 2);
  second_promise.set_value();
  CHECK(second_client.receive()->body == "done");
  server.reset();
}

TEST_CASE_FIXTURE(BlockingServer, "a response is sent although its handler has not returned") {
  std::promise<void> received;
  std::atomic<bool> in_time{false};
  handlers.on_request = [&](const std::shared_ptr<Exchange>& exchange) {
    if (exchange->route != kCall) return echo(exchange);
    echo(exchange);
    in_time = received.get_future().wait_for(60s) == std::future_status::ready;
  };
  REQUIRE(start() != 0);
  auto client = connect();
  client.send(get("/v1/calls/a") + get("/v1/calls"));
  CHECK(client.receive()->body == "route=3 id=a");
  received.set_value();
  CHECK(client.receive()->body == "route=1");
  server.reset();
  CHECK(in_time);
}

TEST_CASE_FIXTURE(BlockingServer, "requests behind one whose handler blocks are answered after it") {
  REQUIRE(start() != 0);
  auto client = connect();
  client.send(get("/v1/calls/a") + get("/v1/calls") + get("/v1/calls"));
  CHECK(within(60s, [&] { return server->stats().blocked_calls == 1; }));
  CHECK(block->left == 0);
  block->release();
  CHECK(client.receive()->body == "here");
  for (int i = 0; i < 2; ++i) CHECK(client.receive()->status == 200);
}

TEST_CASE_FIXTURE(BlockingServer,
                  "a check of a bearer before the body that blocks delays its own request only") {
  routes.push_back({kNumber + 1, Method::post, "/secret", {}, kPublic, false, false, true});
  handlers.on_head = [block = block](const std::shared_ptr<Exchange>&, const std::function<void()>& proceed) {
    block->enter();
    proceed();
  };
  REQUIRE(start() != 0);
  auto client = connect();
  client.send(post("/secret", std::string(10'000, 'x'), "Authorization: Bearer x\r\n"));
  CHECK(within(60s, [&] { return block->entered == 1; }));
  CHECK(ask(connect(), "/v1/calls") == "elsewhere");
  block->release();
  CHECK(client.receive()->status == 200);
}
