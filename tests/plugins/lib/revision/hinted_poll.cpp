#include "revision/hinted_poll.h"

#include <doctest/doctest.h>

#include <memory>

#include "runtime/manual_clock.h"
#include "support/probe_plugin.h"
#include "support/probe_requests.h"
#include "support/test_server.h"

using namespace patchbay;

namespace {

// A poll of the probe whose clock stands still, so that only hints start looks. Looks end when the test says
// so.
struct PollServer {
  core::ManualClock clock;
  test::TestServer server{"plugins: {probe: {}}\n", &clock, {probe::entry()}};
  std::unique_ptr<lib::HintedPoll> poll;  // main strand
  int begun = 0;                          // main strand

  PollServer() {
    on_strand([this](const Host& host) {
      poll = std::make_unique<lib::HintedPoll>(host, 1000, [this] { ++begun; });
      poll->start();
    });
  }
  ~PollServer() {
    on_strand([this](const Host&) { poll.reset(); });
  }

  // Runs f on the probe's strand, and returns how many looks have begun then.
  template <class F>
  int on_strand(F f) {
    return probe::ask_host<int>([this, f](const Host& host, auto done) {
             f(host);
             done(begun);
           })
        .value_or(-1);
  }
  int looks() {
    return on_strand([](const Host&) {});
  }
  int hint() {
    return on_strand([this](const Host&) { poll->hint(); });
  }
  int looked() {
    return on_strand([this](const Host&) { poll->looked(); });
  }
};

}  // namespace

TEST_CASE("a hint begins a look at once") {
  PollServer server;
  CHECK(server.looks() == 0);
  CHECK(server.hint() == 1);
}

TEST_CASE("hints during a look begin one further look, when it has ended") {
  PollServer server;
  for (int i = 0; i < 3; ++i) CHECK(server.hint() == 1);
  CHECK(server.looked() == 2);
  CHECK(server.looked() == 2);
  CHECK(server.hint() == 3);
}

TEST_CASE("without hints a look begins after each interval") {
  PollServer server;
  server.clock.advance(std::chrono::seconds(1));
  CHECK(probe::eventually([&] { return server.looks() == 1; }));
  server.looked();
  server.clock.advance(std::chrono::seconds(1));
  CHECK(probe::eventually([&] { return server.looks() == 2; }));
}
