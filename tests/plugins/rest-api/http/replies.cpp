#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "http_server_fixture.h"

using namespace rest_api_test;

namespace {

// Threads that reply to the exchanges that the handler queues.
class Answerers {
 public:
  explicit Answerers(int count) {
    for (int i = 0; i < count; ++i)
      threads_.emplace_back([this] {
        while (auto exchange = next()) echo(exchange);
      });
  }
  ~Answerers() { stop(); }
  void give(std::shared_ptr<Exchange> exchange) {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(exchange));
    ready_.notify_one();
  }
  void stop() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    ready_.notify_all();
    for (auto& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  std::shared_ptr<Exchange> next() {
    std::unique_lock lock(mutex_);
    ready_.wait(lock, [this] { return stopped_ || !queue_.empty(); });
    if (queue_.empty()) return nullptr;
    auto exchange = std::move(queue_.front());
    queue_.pop_front();
    return exchange;
  }
  std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<std::shared_ptr<Exchange>> queue_;
  bool stopped_ = false;
  std::vector<std::thread> threads_;
};

class Kept {
 public:
  void add(std::shared_ptr<Exchange> exchange) {
    const std::lock_guard lock(mutex_);
    all_.push_back(std::move(exchange));
    changed_.notify_all();
  }
  // Waits for `count` exchanges; returns fewer after the timeout.
  std::vector<std::shared_ptr<Exchange>> take(size_t count, std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, patience, [&] { return all_.size() >= count; });
    return std::exchange(all_, {});
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::shared_ptr<Exchange>> all_;
};

}  // namespace

TEST_CASE_FIXTURE(ServerFixture,
                  "fault C - ten thousand answers from other threads race with clients that leave") {
  Answerers answerers(3);
  handlers.on_request = [&](std::shared_ptr<Exchange> exchange) { answerers.give(std::move(exchange)); };
  REQUIRE(start() != 0);
  std::atomic<int> lost{0};
  std::atomic<int> astray{0};
  std::atomic<int> received{0};
  std::vector<std::thread> clients;
  for (int t = 0; t < 4; ++t)
    clients.emplace_back([&, t] {
      std::mt19937 random(static_cast<unsigned>(t));
      for (int i = 0; i < 2500; ++i) {
        const auto token = std::to_string(t) + "-" + std::to_string(i);
        auto client = connect();
        client.send(get("/v1/calls/" + token));
        const auto choice = random() % 3;
        if (choice == 0) {
          client.reset();
        } else if (choice == 2) {
          const auto answer = client.receive();
          if (!answer)
            ++lost;
          else if (answer->body != "route=3 id=" + token || !client.rest().empty())
            ++astray;
          else
            ++received;
        }
      }
    });
  for (auto& client : clients) client.join();
  CHECK(lost == 0);
  CHECK(astray == 0);
  CHECK(received > 2500);
  server.reset();  // requests of disconnected clients may still reach the handler
}

TEST_CASE_FIXTURE(ServerFixture,
                  "replies - only the first is sent, and none after the client or the server has gone") {
  Kept kept;
  handlers.on_request = [&](std::shared_ptr<Exchange> exchange) { kept.add(std::move(exchange)); };
  REQUIRE(start() != 0);
  auto client = connect();
  client.send(get("/v1/calls"));
  auto exchanges = kept.take(1, std::chrono::seconds(60));
  REQUIRE(exchanges.size() == 1);
  CHECK(exchanges[0]->reply(200, {}, "first"));
  CHECK(!exchanges[0]->reply(200, {}, "second"));
  exchanges.clear();
  CHECK(client.receive()->body == "first");
  client.send(get("/v1/calls"));
  exchanges = kept.take(1, std::chrono::seconds(60));
  REQUIRE(exchanges.size() == 1);
  server.reset();
  CHECK(exchanges[0]->reply(200, {}, "too late"));
  CHECK(!client.receive());
}

TEST_CASE_FIXTURE(ServerFixture, "replies - of many threads exactly one answers an exchange") {
  Kept kept;
  handlers.on_request = [&](std::shared_ptr<Exchange> exchange) { kept.add(std::move(exchange)); };
  REQUIRE(start() != 0);
  auto client = connect();
  for (int round = 0; round < 200; ++round) {
    client.send(get("/v1/calls"));
    auto exchanges = kept.take(1, std::chrono::seconds(60));
    REQUIRE(exchanges.size() == 1);
    std::atomic<int> accepted{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back(
          [&, exchange = exchanges[0]] { accepted += exchange->reply(200, {}, "x") ? 1 : 0; });
    exchanges.clear();
    for (auto& thread : threads) thread.join();
    CHECK(accepted == 1);
    CHECK(client.receive()->body == "x");
    CHECK(client.rest().empty());
  }
}

TEST_CASE_FIXTURE(ServerFixture, "pipelining - responses are sent in the order of the requests") {
  Kept kept;
  handlers.on_request = [&](std::shared_ptr<Exchange> exchange) { kept.add(std::move(exchange)); };
  REQUIRE(start() != 0);
  auto client = connect();
  std::string batch;
  for (int i = 0; i < 100; ++i) batch += get("/v1/calls/" + std::to_string(i));
  client.send(batch);
  int answered = 0;
  std::mt19937 random(7);
  while (answered < 100) {
    auto exchanges = kept.take(std::min(16, 100 - answered), std::chrono::seconds(60));
    REQUIRE(!exchanges.empty());
    CHECK(exchanges.size() <= 16);
    std::shuffle(exchanges.begin(), exchanges.end(), random);
    for (const auto& exchange : exchanges) echo(exchange);
    answered += static_cast<int>(exchanges.size());
  }
  for (int i = 0; i < 100; ++i) {
    const auto answer = client.receive();
    REQUIRE(answer);
    CHECK(answer->body == "route=3 id=" + std::to_string(i));
  }
}

TEST_CASE_FIXTURE(ServerFixture,
                  "pipelining - what changes something waits for what came before it, and is waited for") {
  Kept kept;
  handlers.on_request = [&](std::shared_ptr<Exchange> exchange) { kept.add(std::move(exchange)); };
  REQUIRE(start() != 0);
  auto client = connect();
  client.send(get("/v1/calls") + get("/v1/calls") + post("/v1/calls", "1") + post("/v1/calls", "2") +
              get("/v1/calls"));
  const auto expect = [&](size_t count, uint32_t route) {
    auto exchanges = kept.take(count, std::chrono::seconds(60));
    REQUIRE(exchanges.size() == count);
    CHECK(kept.take(1, std::chrono::milliseconds(50)).empty());
    for (const auto& exchange : exchanges) {
      CHECK(exchange->route == route);
      echo(exchange);
    }
  };
  expect(2, kCalls);
  expect(1, kNewCall);
  expect(1, kNewCall);
  expect(1, kCalls);
  for (int i = 0; i < 5; ++i) CHECK(client.receive());
}

TEST_CASE_FIXTURE(ServerFixture, "replies - a client that has closed its sending side gets its response") {
  Kept kept;
  handlers.on_request = [&](std::shared_ptr<Exchange> exchange) { kept.add(std::move(exchange)); };
  REQUIRE(start() != 0);
  auto client = connect();
  client.send(get("/v1/calls"));
  client.finish_sending();
  auto exchanges = kept.take(1, std::chrono::seconds(60));
  REQUIRE(exchanges.size() == 1);
  exchanges[0]->reply(200, {}, "here");
  CHECK(client.receive()->body == "here");
  CHECK(client.is_closed());
}

TEST_CASE_FIXTURE(ServerFixture, "replies - a request that is never answered gets 503") {
  Kept kept;
  handlers.on_request = [&](std::shared_ptr<Exchange> exchange) { kept.add(std::move(exchange)); };
  config.limits.answer_ms = 150;
  REQUIRE(start() != 0);
  auto client = connect();
  client.send(get("/v1/calls"));
  const auto answer = client.receive();
  REQUIRE(answer);
  CHECK(answer->status == 503);
}
