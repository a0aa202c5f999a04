// The example plugin, tested as its author would.
#include <doctest/doctest.h>
#include <patchbay/testing/fake_host.h>

using patchbay::testing::FakeHost;
using patchbay::testing::why;

namespace {
constexpr const char* kHello = TEST_HELLO;
}

TEST_CASE("a plugin is started, asked and stopped without a server") {
  FakeHost host(kHello);
  REQUIRE(why(host.start(R"({"greeting": "moin"})")) == "");
  const auto answer = host.ask({"GET", "/hello", "", ""});
  CHECK(answer.status == 200);
  CHECK(answer.body == R"({"text":"moin"})");
  REQUIRE(host.lines().size() == 1);
  CHECK(host.lines()[0].text == "greeted");
  CHECK(host.lines()[0].field("remote") == "192.0.2.1");
  CHECK(host.stop());
  CHECK(host.problem_text() == "");
  CHECK(host.get("/hello").status == 404);
}

TEST_CASE("the manifest's schema judges a plugin's configuration and fills it in") {
  FakeHost host(kHello);
  CHECK(why(host.start(R"({"greting": "moin"})")) ==
        "plugin.greting is not a known field; did you mean greeting?");
  CHECK(host.start());
  CHECK(host.get("/hello").body == R"({"text":"hello"})");
  CHECK(why(host.check_config("{}")) == "needs a restart");
}

TEST_CASE("a route is refused to the callers that the server would refuse") {
  FakeHost host(kHello);
  REQUIRE(host.start());
  const auto wrong = host.post("/hello", "{}");
  CHECK(wrong.status == 405);
  CHECK(wrong.headers.text("Allow") == "GET");
  CHECK(host.get("/nothing").status == 404);
}

TEST_CASE("a plugin can be started again, and a hundred times") {
  FakeHost host(kHello);
  for (int i = 0; i < 100; ++i) {
    REQUIRE(host.start());
    REQUIRE(host.stop());
  }
  CHECK(host.problem_text() == "");
}

TEST_CASE("a file that is no plugin is named with the reason") {
  FakeHost missing("/nowhere/at-all.so");
  CHECK(why(missing.start()).find("it cannot be loaded: /nowhere/at-all.so") == 0);
  FakeHost none;
  CHECK(why(none.start()) == "no plugin was loaded");
}
