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
