// Frames that wait in the process of a plugin that does not keep up: bounded in number and in bytes. Beyond
// the bounds the process keeps running.
#include "isolation/child_host.h"

#include <doctest/doctest.h>
#include <patchbay/bus.h>
#include <patchbay/plugin.h>
#include <patchbay/strand.h>

#include <chrono>
#include <fstream>
#include <memory>
#include <string>

#include "isolation/limits.h"
#include "sleeper/sleeper.h"
#include "support/linked_plugin.h"
#include "support/promise.h"
#include "support/test_server.h"
#include "support/within.h"

namespace {

using namespace patchbay;
using namespace patchbay::sleeper;
using core::isolation::ChildHost;
using core::isolation::kMaxWaitingCallbackBytes;
using core::isolation::kMaxWaitingCallbacks;

// Runs in the server; publishes events that the sleeper does not take.
class Waker final : public Plugin {
 public:
  static constexpr char manifest[] = R"({"id": "waker", "version": "1.0.0", "optional": ["test.sleeper/1"]})";
  static constexpr char store_sql[] = "";
  static inline Waker* current = nullptr;

  Status start(const Config&) override {
    sleeper_ = std::make_unique<Service<Sleeper>>(host());
    current = this;
    return {};
  }
  void stop(Done done) override {
    sleeper_.reset();
    done();
  }
  void say(const std::string& payload, int times) {
    for (int i = 0; i < times; ++i) publish(host(), {"test.flood", "localhost", "", "", payload});
  }
  template <class M>
  Result<typename M::Reply> call(M method) {
    auto answer = std::make_shared<test::Promise<Result<typename M::Reply>>>();
    post(host(), kMainStrand, [this, method, answer] {
      sleeper_->call(method, Empty{}, [answer](auto result) { answer->set(std::move(result)); });
    });
    auto came = answer->get(std::chrono::seconds(60));
    return came ? std::move(*came) : Result<typename M::Reply>(Code::timeout, "no answer");
  }

 private:
  std::unique_ptr<Service<Sleeper>> sleeper_;
};

struct SleeperServer : test::TestServer {
  SleeperServer()
      : TestServer("plugins: {waker: {}, sleeper: {isolation: process}}\ntenants: {localhost: {}}\n", nullptr,
                   {&test::LinkedPlugin<Waker>::entry}, {{"sleeper", ISOLATION_SLEEPER}},
                   [](CoreOptions& options) { options.start_deadline_ms = 300'000; }) {
    REQUIRE(start_error() == "");
    CHECK(Waker::current->call(Sleeper::sleep).ok());
  }
  // Publishes `times` events, or until a call is refused because no more may wait; returns that error. The
  // answer of a call comes after all events published before it, so that at most `at_once` are on their way.
  Error fill(const std::string& payload, int times, int at_once) {
    for (int said = 0; said < times; said += at_once) {
      Waker::current->say(payload, at_once);
      const auto answer = Waker::current->call(Sleeper::count);
      if (!answer) return answer.error();
      CHECK(answer->events == 0);
    }
    return {Code::ok, ""};
  }
  // Wakes the sleeper, and waits until it has received the events that wait for it and answers again.
  int64_t wake(int64_t expected) {
    std::ofstream(data() / "sleeper" / "wake") << "!";
    int64_t events = 0;
    CHECK(within(std::chrono::seconds(60), [&] {
      const auto answer = Waker::current->call(Sleeper::count);
      if (answer) events = answer->events;
      return answer.ok() && events >= expected;
    }));
    return events;
  }
  ~SleeperServer() {
    CHECK(log().find("the plugin's process has ended") == std::string::npos);
    const Status stopped = core().stop();
    CHECK_MESSAGE(stopped.ok(), stopped.error().text, "\n", log());
  }
};

}  // namespace

TEST_CASE("events that an isolated plugin does not process wait in its process, up to a number") {
  SleeperServer server;
  constexpr int kMax = kMaxWaitingCallbacks;
  constexpr int kAtOnce = 128;
  const Error refused = server.fill("{}", 2 * kMax, kAtOnce);
  CHECK(refused.code == Code::exhausted);
  CHECK(refused.text.find("does not keep up with its calls") != std::string::npos);
  // Events of the last batch that are still on their way find room once the plugin has woken.
  const int64_t came = server.wake(kMax);
  CHECK(came >= kMax);
  CHECK(came < kMax + kAtOnce);
}

TEST_CASE("events that an isolated plugin does not process wait in its process, up to a number of bytes") {
  SleeperServer server;
  constexpr int kSize = 1'000'000;
  constexpr int kMax = kMaxWaitingCallbackBytes / kSize;
  constexpr int kAtOnce = 2;
  CHECK(server.fill("\"" + std::string(kSize, 'x') + "\"", 2 * kMax, kAtOnce).code == Code::ok);
  const int64_t came = server.wake(kMax - 1);
  CHECK(came >= kMax - 1);
  CHECK(came < kMax + kAtOnce);
}
