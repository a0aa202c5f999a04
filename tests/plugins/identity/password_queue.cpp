#include "password_queue.h"

#include <doctest/doctest.h>

#include <future>
#include <string>
#include <vector>

#include "identity_limits.h"
#include "support/probe_plugin.h"
#include "support/test_server.h"

using namespace patchbay;
using identity::Credential;
using identity::kMaxPasswordChecks;
using identity::kMaxWaitingPasswordsPerAddress;
using identity::PasswordQueue;

namespace {

struct QueueClient {
  test::TestServer core{
      "plugins: {probe: {}}\ntenants: {a.example: {primary: true}}\n", nullptr, {probe::entry()}};
  std::shared_ptr<Credential> credential = std::make_shared<Credential>("", "right");
  std::unique_ptr<PasswordQueue> queue;  // on the probe's strand
  std::vector<std::string> turns;        // the same: the address of each check, as its turn comes
  std::promise<void> all_done;
  size_t expected = 0;
  size_t answered = 0;  // on the strand

  QueueClient() { REQUIRE(core.start_error() == ""); }
  ~QueueClient() {
    on_strand([&](const Host&) { queue.reset(); });
  }
  Status ask(const std::string& address, int64_t delay_ms = 0) {
    PasswordQueue::Request request;
    request.address = address;
    request.credential = credential;
    request.password = "right";
    request.delay_ms = delay_ms;
    request.still_wanted = [this, address] {
      turns.push_back(address);
      return true;
    };
    return queue->check(std::move(request), [this](const Result<bool>& matches) {
      CHECK((matches && *matches));
      if (++answered == expected) all_done.set_value();
    });
  }
  static void on_strand(const std::function<void(const Host&)>& f) {
    std::promise<void> done;
    probe::run([&](const Host& host) {
      f(host);
      done.set_value();
    });
    CHECK(done.get_future().wait_for(std::chrono::seconds(60)) == std::future_status::ready);
  }
};

}  // namespace

TEST_CASE("addresses take turns, and only a few requests of one address may wait") {
  QueueClient client;
  int taken = 0;
  client.expected = kMaxPasswordChecks + kMaxWaitingPasswordsPerAddress + 1;
  QueueClient::on_strand([&](const Host& host) {
    client.queue = std::make_unique<PasswordQueue>(host);
    for (int i = 0; i < 400; ++i) taken += client.ask("flood") ? 1 : 0;
    CHECK(client.ask("other"));
  });
  CHECK(taken == static_cast<int>(client.expected) - 1);
  REQUIRE(client.all_done.get_future().wait_for(std::chrono::seconds(60)) == std::future_status::ready);
  QueueClient::on_strand([&](const Host&) {
    // Two of "flood" ran at once and its third had the next turn. The order in which checks end is not
    // tested, because the kernel decides when a worker runs.
    REQUIRE(client.turns.size() == client.expected);
    CHECK(client.turns[kMaxPasswordChecks + 1] == "other");
  });
}

TEST_CASE("held requests count as waiting, and are dropped with the queue") {
  QueueClient client;
  QueueClient::on_strand([&](const Host& host) {
    client.queue = std::make_unique<PasswordQueue>(host);
    for (size_t i = 0; i < kMaxWaitingPasswordsPerAddress; ++i) CHECK(client.ask("slow", 3'600'000));
    CHECK(client.ask("slow", 3'600'000).error().code == Code::exhausted);
  });
}
