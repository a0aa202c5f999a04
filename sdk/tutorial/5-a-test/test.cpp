#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
#include <patchbay/testing/fake_host.h>

using patchbay::testing::FakeHost;
using patchbay::testing::why;

TEST_CASE("it says hello and counts calls") {
  FakeHost host(PLUGIN_FILE);
  REQUIRE(why(host.start(R"({"greeting": "moin"})")) == "");
  CHECK(host.get("/hello").body == R"({"text":"moin","answered":0})");

  host.publish({"call.answered", "localhost", "call-1", "", "{}"});
  CHECK(host.get("/hello").body == R"({"text":"moin","answered":1})");

  CHECK(why(host.stop()) == "");
  CHECK(host.problem_text() == "");
}

TEST_CASE("a greeting cannot be empty") {
  FakeHost host(PLUGIN_FILE);
  CHECK(why(host.start(R"({"greeting": ""})")) != "");
}
