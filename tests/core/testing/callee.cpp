// A plugin with a service, a subscription and an audio port, driven by hand.
#include "abi/callee-plugin/callee.h"

#include <doctest/doctest.h>
#include <patchbay/testing/fake_host.h>

using namespace patchbay;
using callee::Callee;
using testing::FakeHost;
using testing::OpenPort;
using testing::Pcm;

namespace {
constexpr const char* kCarried = TEST_CALLEE;
}

TEST_CASE("events go into a plugin and come out of it") {
  FakeHost host(kCarried);
  REQUIRE(host.start());
  host.publish({"test.ping", "example.com", "call-1", "c-1", "{}"});
  const auto events = host.events("test.pong");
  REQUIRE(events.size() == 1);
  CHECK(events[0].plugin == "callee-plugin");
  CHECK(events[0].subject == "call-1");
  CHECK(events[0].payload == R"({"to":"example.com"})");
  CHECK(host.logged("ping"));
}

TEST_CASE("a test calls a plugin's service, and is called back by it") {
  FakeHost host(kCarried);
  REQUIRE(host.start());
  auto& listener = host.make<Provision<callee::Listener>>(host.host());
  std::string caller;
  const Handle handle = host.run([&] {
    listener.on(callee::Listener::told, [&](callee::Said said) -> Result<callee::Said> {
      caller = host.host().report("caller");
      said.text = "heard " + said.text;
      return said;
    });
    return listener.handle();
  });
  callee::Say say;
  say.text = "hello";
  say.number = 1;
  say.listener = handle;
  const auto said = host.call<Callee>(Callee::say, say);
  REQUIRE(said.ok());
  CHECK(said.value().text.find("heard") != std::string::npos);
  CHECK(caller == "callee-plugin");
  CHECK(host.host().report("caller") == "");
  say.number = -1;
  CHECK(host.call<Callee>(Callee::say, say).error().code == Code::invalid);
}

TEST_CASE("a call that is not answered ends when the plugin stops") {
  FakeHost host(kCarried);
  REQUIRE(host.start());
  const auto answer = host.begin<Callee>(Callee::never, {});
  CHECK(host.settle());
  CHECK_FALSE(answer.ready());
  CHECK(host.stop());
  CHECK_FALSE(answer.get().ok());
  CHECK(host.problem_text() == "");
}

TEST_CASE("frames are pushed into a plugin's port and pulled from it by hand") {
  FakeHost host(kCarried);
  REQUIRE(host.start());
  const auto made = host.call<Callee>(Callee::port, {});
  REQUIRE(made.ok());
  REQUIRE(host.ports().size() == 1);
  CHECK(host.ports()[0].pull_rate_hz == 16000);
  {
    OpenPort port(host, made.value().port);
    REQUIRE(port.ok());
    port.push(Pcm(320, 41));
    CHECK(port.pull() == Pcm(320, 42));
  }
  CHECK(host.stop());
  CHECK(host.problem_text() == "");
}

TEST_CASE("a plugin that refuses to start reports the reason and is destroyed") {
  FakeHost host(kCarried);
  CHECK(testing::why(host.start(R"({"refuse": "no licence"})")) == "no licence");
  CHECK(host.start().ok());
}
