#include "legs/media_watch.h"

#include <doctest/doctest.h>
#include <patchbay/testing/test_environment.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

using namespace patchbay;
using namespace patchbay::sip_trunk;

namespace {

// A watch with a timeout of 5 s, on an answered call.
struct WatchedCall {
  WatchedCall() {
    environment.run([this] {
      watch = std::make_unique<MediaWatch>(environment.host(), 5000,
                                           [this](const std::string& why) { reports.push_back(why); });
      watch->start(last_received_ns);
    });
  }
  ~WatchedCall() {
    environment.run([this] { watch.reset(); });
  }
  void advance_ms(int64_t ms) { REQUIRE(testing::why(environment.advance_ms(ms)) == ""); }
  void receive_packet() { last_received_ns = environment.host().mono_ns(); }

  testing::TestEnvironment environment;
  std::atomic<int64_t> last_received_ns{0};
  std::vector<std::string> reports;
  std::unique_ptr<MediaWatch> watch;
};

}  // namespace

TEST_CASE("a call without media is reported once, after the timeout") {
  WatchedCall call;
  call.advance_ms(4900);
  CHECK(call.reports.empty());
  call.advance_ms(60'000);
  CHECK(call.reports == std::vector<std::string>{"no media for 5 s"});
}

TEST_CASE("every packet begins the timeout anew") {
  WatchedCall call;
  for (int i = 0; i < 10; ++i) {
    call.advance_ms(4000);
    call.receive_packet();
  }
  CHECK(call.reports.empty());
  call.advance_ms(7000);
  CHECK(call.reports.size() == 1);
}

TEST_CASE("a peer that holds the call may be silent, and has the whole timeout when it resumes") {
  WatchedCall call;
  call.watch->set_held(true);
  call.advance_ms(60'000);
  call.watch->set_held(true);  // another re-INVITE while it holds the call
  call.advance_ms(60'000);
  CHECK(call.reports.empty());
  call.watch->set_held(false);
  call.advance_ms(4900);
  CHECK(call.reports.empty());
  call.advance_ms(2000);
  CHECK(call.reports.size() == 1);
}

TEST_CASE("a stopped watch reports nothing") {
  WatchedCall call;
  call.environment.run([&] { call.watch->stop(); });
  call.advance_ms(60'000);
  CHECK(call.reports.empty());
}
