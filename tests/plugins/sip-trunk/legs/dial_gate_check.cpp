#include "legs/dial_gate_check.h"

#include <doctest/doctest.h>
#include <patchbay/testing/test_environment.h>

#include <memory>
#include <string>
#include <vector>

using namespace patchbay;
using namespace patchbay::sip_trunk;
using telephony::DialGate;

namespace {

// Gates that the test provides, and a check of one call by them.
struct GatedCall {
  GatedCall() : log(environment.host()) {
    environment.run([this] {
      check = std::make_unique<DialGateCheck>(environment.host(), log, [this](const Status& allowed) {
        results.push_back(allowed ? "allowed" : allowed.error().text);
      });
    });
  }
  ~GatedCall() {
    environment.run([this] {
      check.reset();
      gates.clear();
    });
  }
  // Adds a gate that answers `reason`; "": allows the call, "-": never answers.
  void add(const std::string& name, const std::string& reason) {
    environment.run([&] {
      gates.push_back(std::make_unique<Provision<DialGate>>(environment.host()));
      gates.back()->on(DialGate::check,
                       [this, name, reason](const telephony::Check& call, Reply<telephony::Verdict> reply) {
                         asked += name + "(" + call.number + ") ";
                         if (reason == "-") return unanswered.push_back(std::move(reply));
                         reply(telephony::Verdict{reason.empty(), reason});
                       });
      registered.push_back({name, gates.back()->handle()});
    });
  }
  void start() {
    environment.run([this] { check->start(registered, {"acme.example", "+49301", "oac-1", "c"}); });
    REQUIRE(testing::why(environment.settle()) == "");
  }

  testing::TestEnvironment environment;
  Log log;
  std::string asked;
  std::vector<std::string> results;
  std::vector<Reply<telephony::Verdict>> unanswered;
  std::vector<std::unique_ptr<Provision<DialGate>>> gates;
  std::vector<RegisteredGate> registered;
  std::unique_ptr<DialGateCheck> check;
};

}  // namespace

TEST_CASE("a call is allowed when all gates allow it, asked one by one") {
  GatedCall call;
  call.add("a", "");
  call.add("b", "");
  call.start();
  CHECK(call.asked == "a(+49301) b(+49301) ");
  CHECK(call.results == std::vector<std::string>{"allowed"});
}

TEST_CASE("a call without gates is allowed") {
  GatedCall call;
  call.start();
  CHECK(call.results == std::vector<std::string>{"allowed"});
}

TEST_CASE("the first gate that refuses ends the check") {
  GatedCall call;
  call.add("a", "not on the list");
  call.add("b", "");
  call.start();
  CHECK(call.asked == "a(+49301) ");
  CHECK(call.results == std::vector<std::string>{"not on the list"});
}

TEST_CASE("a gate that has been withdrawn refuses the call") {
  GatedCall call;
  call.add("a", "");
  call.environment.run([&] { call.gates.clear(); });
  call.start();
  CHECK(call.results == std::vector<std::string>{"the gate did not answer"});
}

TEST_CASE("a gate that does not answer within 10 s refuses the call") {
  GatedCall call;
  call.add("a", "-");
  call.start();
  CHECK(call.results.empty());
  REQUIRE(testing::why(call.environment.advance_ms(10'100)) == "");
  CHECK(call.results == std::vector<std::string>{"the gate did not answer in time"});
  call.environment.run([&] { call.unanswered.clear(); });
  REQUIRE(testing::why(call.environment.settle()) == "");
  CHECK(call.results.size() == 1);
}

TEST_CASE("a cancelled check reports nothing") {
  GatedCall call;
  call.add("a", "-");
  call.start();
  call.environment.run([&] {
    call.check->cancel();
    call.unanswered.clear();
  });
  REQUIRE(testing::why(call.environment.advance_ms(60'000)) == "");
  CHECK(call.results.empty());
}
