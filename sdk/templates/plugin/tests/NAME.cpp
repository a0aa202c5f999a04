// The plugin in a fake host: no server, no network, and time stands still unless the test moves it.
// What else can be driven: <patchbay/testing/fake_host.h>.
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

TEST_CASE("a milestone is announced, and configured") {
  FakeHost host(PLUGIN_FILE);
  REQUIRE(why(host.start(R"({"milestone": 2})")) == "");
  for (const char* call : {"call-1", "call-2", "call-3"}) host.publish({"call.answered", "localhost", call, "", "{}"});
  const auto told = host.events("%NAME%.milestone");
  REQUIRE(told.size() == 1);
  CHECK(told[0].payload == R"({"answered":2})");
  CHECK(why(host.start(R"({"milestone": 0})")) != "");
}

TEST_CASE("the count is for bearers") {
  FakeHost host(PLUGIN_FILE);
  REQUIRE(why(host.start()) == "");
  patchbay::testing::Ask stranger;
  stranger.target = "/api.ashx/v1/%NAME%";
  stranger.role = "";
  CHECK(host.ask(stranger).status == 401);
}

TEST_CASE("it takes a new configuration, stops, and leaves nothing behind") {
  FakeHost host(PLUGIN_FILE);
  REQUIRE(why(host.start()) == "");
  CHECK(why(host.reconfigure(R"({"milestone": 5})")) == "");
  CHECK(why(host.drain()) == "");
  CHECK(why(host.stop()) == "");
  CHECK(host.problem_text() == "");
}
