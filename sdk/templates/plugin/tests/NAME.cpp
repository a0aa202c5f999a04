// Runs the plugin in a fake host: no server, no network, and a clock that advances only when the test advances it.
// <patchbay/testing/fake_host.h> has all functions.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
#include <patchbay/testing/fake_host.h>

using patchbay::testing::FakeHost;
using patchbay::testing::why;

TEST_CASE("answered calls are counted and served") {
  FakeHost host(PLUGIN_FILE);
  REQUIRE(why(host.start()) == "");
  host.publish({"call.answered", "localhost", "call-1", "", "{}"});
  host.publish({"call.answered", "localhost", "call-2", "", "{}"});
  const auto answer = host.get("/api.ashx/v1/%NAME%");
  CHECK(answer.status == 200);
  CHECK(answer.body == R"({"answered":2})");
}

TEST_CASE("the configured milestone is published") {
  FakeHost host(PLUGIN_FILE);
  REQUIRE(why(host.start(R"({"milestone": 2})")) == "");
  for (const char* call : {"call-1", "call-2", "call-3"}) host.publish({"call.answered", "localhost", call, "", "{}"});
  const auto events = host.events("%NAME%.milestone");
  REQUIRE(events.size() == 1);
  CHECK(events[0].payload == R"({"answered":2})");
  CHECK(why(host.start(R"({"milestone": 0})")) != "");
}

TEST_CASE("the count needs a bearer") {
  FakeHost host(PLUGIN_FILE);
  REQUIRE(why(host.start()) == "");
  patchbay::testing::Ask anonymous;
  anonymous.target = "/api.ashx/v1/%NAME%";
  anonymous.role = "";
  CHECK(host.ask(anonymous).status == 401);
}

TEST_CASE("it accepts a new configuration, and stops without leaks") {
  FakeHost host(PLUGIN_FILE);
  REQUIRE(why(host.start()) == "");
  CHECK(why(host.reconfigure(R"({"milestone": 5})")) == "");
  CHECK(why(host.drain()) == "");
  CHECK(why(host.stop()) == "");
  CHECK(host.problem_text() == "");
}
