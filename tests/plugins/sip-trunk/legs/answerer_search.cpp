#include "legs/answerer_search.h"

#include <doctest/doctest.h>
#include <patchbay/testing/test_environment.h>

#include <memory>
#include <string>
#include <vector>

using namespace patchbay;
using namespace patchbay::sip_trunk;
using telephony::Answerer;
using telephony::LegListener;
using telephony::Taken;

namespace {

// Answerers that the test provides, and the offer of one call to them.
struct OfferedCall {
  OfferedCall() : log(environment.host()), offers(environment.host()) {
    environment.run([this] {
      search = std::make_unique<AnswererSearch>(
          environment.host(), log, offers,
          AnswererSearch::Events{[this] { return Handle{++legs}; },
                                 [this](const Taken& taken) {
                                   results.push_back(taken.listener ? "taken"
                                                                    : std::to_string(taken.sip_status));
                                 }});
      listener = std::make_unique<Provision<LegListener>>(environment.host());
      listener->on(LegListener::ended, [this](const telephony::Ended& how) -> Result<Empty> {
        ended += how.cause + ": " + how.detail + "; ";
        return Empty{};
      });
    });
  }
  ~OfferedCall() {
    environment.run([this] {
      search.reset();
      replies.clear();
      answerers.clear();
      listener.reset();
    });
  }
  // Adds an answerer that replies when the test does.
  void add(const std::string& name) {
    environment.run([&] {
      answerers.push_back(std::make_unique<Provision<Answerer>>(environment.host()));
      answerers.back()->on(Answerer::offer, [this, name](const telephony::Offer& call, Reply<Taken> reply) {
        asked += name + std::to_string(call.leg.id) + " ";
        replies.push_back(std::move(reply));
      });
      registered.push_back({name, answerers.back()->handle(), 0});
    });
  }
  void start() {
    environment.run([this] {
      telephony::Offer call;
      call.call_id = "sip-1";
      search->start(registered, call);
    });
    settle();
  }
  void settle() { REQUIRE(testing::why(environment.settle()) == ""); }
  void wait_ms(int64_t ms) { REQUIRE(testing::why(environment.advance_ms(ms)) == ""); }
  void take(size_t offer) {
    environment.run([&] { replies.at(offer)(Taken{listener->handle(), 0, ""}); });
    settle();
  }
  void decline(size_t offer) {
    environment.run([&] { replies.at(offer)(Taken{}); });
    settle();
  }

  testing::TestEnvironment environment;
  Log log;
  AnswererOffers offers;
  uint64_t legs = 0;
  std::string asked, ended;
  std::vector<std::string> results;
  std::vector<Reply<Taken>> replies;
  std::unique_ptr<Provision<LegListener>> listener;
  std::vector<std::unique_ptr<Provision<Answerer>>> answerers;
  std::vector<RegisteredAnswerer> registered;
  std::unique_ptr<AnswererSearch> search;
};

}  // namespace

TEST_CASE("answerers are asked one by one, each with its own instance of the leg") {
  OfferedCall call;
  call.add("a");
  call.add("b");
  call.start();
  CHECK(call.asked == "a1 ");
  call.decline(0);
  CHECK(call.asked == "a1 b2 ");
  call.take(1);
  CHECK(call.results == std::vector<std::string>{"taken"});
  CHECK(call.ended == "");
}

TEST_CASE("an answerer that takes a call after its 5 s gets the end at once, and does not own it") {
  OfferedCall call;
  call.add("late");
  call.add("b");
  call.start();
  call.wait_ms(5'100);
  CHECK(call.asked == "late1 b2 ");
  call.take(0);
  CHECK(call.results.empty());
  CHECK(call.ended == "failed: the call was taken too late; ");
  call.decline(1);
  CHECK(call.results == std::vector<std::string>{"0"});
}

TEST_CASE("an answerer that takes a call after its caller has hung up gets the end at once") {
  OfferedCall call;
  call.add("a");
  call.start();
  telephony::Ended how;
  how.cause = "far";
  call.environment.run([&] {
    call.search->cancel(how);
    call.search.reset();
  });
  call.take(0);
  CHECK(call.results.empty());
  CHECK(call.ended == "far: ; ");
}

TEST_CASE("an answerer that declines late changes nothing") {
  OfferedCall call;
  call.add("late");
  call.add("b");
  call.start();
  call.wait_ms(5'100);
  call.decline(0);
  CHECK(call.asked == "late1 b2 ");
  call.take(1);
  CHECK(call.results == std::vector<std::string>{"taken"});
  CHECK(call.ended == "");
}

TEST_CASE("an answerer that is gone is passed over") {
  OfferedCall call;
  call.add("gone");
  call.add("b");
  call.environment.run([&] { call.answerers.front().reset(); });
  call.start();
  CHECK(call.asked == "b2 ");
}
