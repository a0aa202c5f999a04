#include "websocket/resolver.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "support/within.h"

using namespace patchbay;
using lib::Resolver;

namespace {

constexpr std::chrono::seconds kLookUpPatience(40);

// Holds the look-up of "slow" until release(), and records all.
struct LookUps {
  Resolver::LookUp function() {
    return [this](const std::string& host, uint16_t port) -> Resolver::Endpoints {
      {
        const std::lock_guard lock(mutex);
        hosts.push_back(host + ":" + std::to_string(port));
      }
      if (host == "slow") released.wait_for(kLookUpPatience);
      return std::vector{*lib::parse_endpoint("127.0.0.1", port)};
    };
  }
  bool wait_for_first() {
    return within(kLookUpPatience, [this] {
      const std::lock_guard lock(mutex);
      return !hosts.empty();
    });
  }
  void release() { release_.set_value(); }

  std::mutex mutex;
  std::vector<std::string> hosts;
  std::promise<void> release_;
  std::shared_future<void> released = release_.get_future().share();
};

struct ResolverFixture {
  ResolverFixture() { resolver.set_look_up(look_ups.function()); }
  [[nodiscard]] Resolver::Ticket ask(const std::string& host, uint16_t port = 80) {
    return resolver.resolve(host, port, [this](const Resolver::Endpoints& found) {
      if (found) ++answers;
    });
  }

  LookUps look_ups;
  std::atomic<int> answers{0};
  Resolver resolver;
};

}  // namespace

TEST_CASE_FIXTURE(ResolverFixture, "requests for the same host and port share a look-up") {
  std::vector<Resolver::Ticket> tickets{ask("slow")};
  REQUIRE(look_ups.wait_for_first());
  for (int i = 0; i < 10; ++i) {
    tickets.push_back(ask("slow"));
    tickets.push_back(ask("other"));
  }
  tickets.push_back(ask("other", 81));
  look_ups.release();
  CHECK(within(kLookUpPatience, [this] { return answers == 22; }));
  const std::lock_guard lock(look_ups.mutex);
  CHECK(look_ups.hosts == std::vector<std::string>{"slow:80", "other:80", "other:81"});
}

TEST_CASE_FIXTURE(ResolverFixture, "no look-up is made for a cancelled request, and none is answered") {
  Resolver::Ticket running = ask("slow");
  REQUIRE(look_ups.wait_for_first());
  Resolver::Ticket waiting = ask("cancelled");
  const Resolver::Ticket last = ask("last");
  running.reset();
  waiting.reset();
  look_ups.release();
  CHECK(within(kLookUpPatience, [this] { return answers == 1; }));
  const std::lock_guard lock(look_ups.mutex);
  CHECK(look_ups.hosts == std::vector<std::string>{"slow:80", "last:80"});
}

TEST_CASE("stopping does not wait for a look-up that hangs, and its requests are not answered") {
  // Shared with the thread, which outlives the resolver.
  struct Hanging {
    std::atomic<bool> begun{false}, ended{false};
    std::promise<void> release;
  };
  const auto hanging = std::make_shared<Hanging>();
  std::atomic<int> answers{0};
  const auto held = std::make_shared<int>();
  {
    Resolver resolver;
    resolver.set_look_up([hanging](const std::string&, uint16_t) -> Resolver::Endpoints {
      hanging->begun = true;
      hanging->release.get_future().wait_for(kLookUpPatience);
      hanging->ended = true;
      return std::vector{*lib::parse_endpoint("127.0.0.1", 80)};
    });
    const auto count = [&answers, held](const Resolver::Endpoints&) { ++answers; };
    const Resolver::Ticket running = resolver.resolve("slow", 80, count);
    const Resolver::Ticket waiting = resolver.resolve("other", 80, count);
    REQUIRE(within(kLookUpPatience, [&] { return hanging->begun.load(); }));
    resolver.stop();
    CHECK_FALSE(hanging->ended);
    const Resolver::Ticket late = resolver.resolve("late", 80, count);
  }
  CHECK(held.use_count() == 1);  // nothing of the requests is left to the thread
  hanging->release.set_value();
  CHECK(within(kLookUpPatience, [&] { return hanging.use_count() == 1; }));  // the thread has ended
  CHECK(hanging->ended);
  CHECK(answers == 0);
}
