// The same plugin files, run by the core in this process and in a child process. What holds for both is told
// once.
#include <doctest/doctest.h>
#include <signal.h>

#include <chrono>
#include <functional>
#include <string>
#include <thread>

#include "caller.h"
#include "plugins/plugin_source.h"
#include "proxy.h"
#include "support/linked_plugin.h"
#include "support/probe.h"
#include "support/server.h"

namespace {

using namespace patchbay;
using carried::Carried;
using carried::Say;
using isolated::Caller;

enum class Where { here, child };

const pb_entry* entry_of(const std::string& id, Where where) {
  const std::string file = std::string(PATCHBAY_ABI_PLUGINS) + "/" + id + ".so";
  if (where == Where::child) {
    auto entry = isolated::isolated_entry(file, PATCHBAY_CHILD_HOST);
    if (!entry) FAIL(entry.error().text);
    return *entry;
  }
  auto source = core::read_plugin_file(file);
  if (!source) FAIL(source.error().text);
  if (const Status loaded = core::load_plugin(*source); !loaded) FAIL(loaded.error().text);
  return source->entry;
}

struct Server : test::TestServer {
  Server(const std::string& id, Where where, const std::string& config = "{}")
      : TestServer("plugins: {media: {}, caller: {}, " + id + ": " + config + "}\ntenants: {localhost: {}}\n",
                   nullptr, {&test::LinkedPlugin<Caller>::entry, entry_of(id, where)}) {}
  Caller& caller() { return *Caller::current; }
};

bool within(std::chrono::milliseconds limit, const std::function<bool()>& holds) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

constexpr auto kSoon = std::chrono::seconds(10);

// Its route is a private instance of its own, which the plugin that plays patchbay.http calls.
void hello_greets(Where where) {
  test::TestServer server("plugins: {probe: {}, hello-plugin: {greeting: moin}}\ntenants: {localhost: {}}\n",
                          nullptr, {probe::entry(), entry_of("hello-plugin", where)});
  REQUIRE(server.start_error() == "");
  http::Request request;
  request.remote = "192.0.2.7";
  request.correlation = "corr-1";
  const auto answer = probe::ask("GET", "/hello", request);
  REQUIRE(answer.ok());
  CHECK(answer.value().status == 200);
  CHECK(answer.value().body == R"({"text":"moin"})");
  CHECK(within(kSoon, [&] { return server.log().find("192.0.2.7") != std::string::npos; }));
  CHECK(server.log().find("corr-1") != std::string::npos);
  CHECK(server.core().stop().ok());
}

void events_pass(Where where) {
  Server server("carried-plugin", where);
  REQUIRE(server.start_error() == "");
  for (int i = 0; i < 3; ++i) {
    const std::string subject = "room-" + std::to_string(i);
    server.caller().publish_event({"test.ping", "localhost", subject, "corr-1", "{}"});
    const auto pong = server.caller().pong.get();
    REQUIRE(pong.has_value());
    CHECK(*pong == subject + R"( {"to":"localhost"})");
  }
  CHECK(server.core().stop().ok());
}

void service_is_called(Where where) {
  Server server("carried-plugin", where);
  REQUIRE(server.start_error() == "");
  auto said = server.caller().call(Carried::say, Say{"hi", 41, 0.25, true, Buffer::copy("bytes"), {}});
  REQUIRE(said.ok());
  CHECK(said->text == "hi!");
  CHECK(said->number == 42);
  CHECK(said->ratio == 0.5);
  CHECK(said->bytes.view() == "bytes");
  CHECK((said->pid == ::getpid()) == (where == Where::here));

  const auto refused = server.caller().call(Carried::say, Say{"", -1, 0, false, {}, {}});
  REQUIRE(!refused.ok());
  CHECK(refused.error().code == Code::invalid);
  CHECK(refused.error().text == "the number is negative");

  const auto heard =
      server.caller().call(Carried::say, Say{"hi", 1, 0, false, {}, server.caller().listener()});
  REQUIRE(heard.ok());
  CHECK(heard.value().text == "heard hi");

  CHECK(server.caller().call(Carried::say_inline, Say{"quick", 1, 0, false, {}, {}}).ok());
  CHECK(server.core().stop().ok());
}

void port_is_joined(Where where) {
  Server server("carried-plugin", where);
  REQUIRE(server.start_error() == "");
  auto port = server.caller().call(Carried::port, Empty{});
  REQUIRE(port.ok());
  for (int turn = 0; turn < 2; ++turn) {
    auto joined = server.caller().join(port->port);
    REQUIRE(joined.ok());
    CHECK(within(kSoon, [&] { return server.caller().probe.heard == isolated::ProbePort::kSaid + 1; }));
    CHECK(server.caller().leave(*joined));
    server.caller().probe.heard = 0;
  }
  CHECK(server.caller().call(Carried::close_port, Empty{}).ok());
  const auto late = server.caller().join(port->port);
  REQUIRE(!late.ok());
  CHECK(late.error().code == Code::not_found);
  CHECK(server.core().stop().ok());
}

}  // namespace

TEST_CASE("hello-plugin answers in this process") { hello_greets(Where::here); }
TEST_CASE("hello-plugin answers in a child process") { hello_greets(Where::child); }
TEST_CASE("events are heard and published in this process") { events_pass(Where::here); }
TEST_CASE("events are heard and published in a child process") { events_pass(Where::child); }
TEST_CASE("a service is called in this process") { service_is_called(Where::here); }
TEST_CASE("a service is called in a child process, and its caller does not notice") {
  service_is_called(Where::child);
}
TEST_CASE("a port is joined in this process") { port_is_joined(Where::here); }
TEST_CASE("a port is joined in a child process, and its joiner does not notice") {
  port_is_joined(Where::child);
}

TEST_CASE("a child that is killed is gone to its callers and silent to its listeners") {
  Server server("carried-plugin", Where::child);
  REQUIRE(server.start_error() == "");
  Caller& caller = server.caller();
  auto said = caller.call(Carried::say, Say{"hi", 1, 0, false, {}, {}});
  auto port = caller.call(Carried::port, Empty{});
  REQUIRE(said.ok());
  REQUIRE(port.ok());
  auto joined = caller.join(port->port);
  REQUIRE(joined.ok());
  CHECK(within(kSoon, [&] { return caller.probe.heard == isolated::ProbePort::kSaid + 1; }));
  auto waiting = std::make_shared<test::Promise<Result<carried::Said>>>();
  caller.begin(Carried::never, Say{}, waiting);

  REQUIRE(::kill(static_cast<pid_t>(said->pid), SIGKILL) == 0);
  const auto gone = waiting->get();
  REQUIRE(gone.has_value());
  REQUIRE(!gone->ok());
  CHECK(gone->error().code == Code::gone);
  CHECK(within(kSoon, [&] { return !caller.up(); }));
  const auto later = caller.call(Carried::say, Say{});
  REQUIRE(!later.ok());
  CHECK(later.error().code == Code::unavailable);

  CHECK(within(kSoon, [&] { return caller.probe.silent_run >= 5; }));
  const uint64_t frames = caller.probe.frames;
  CHECK(within(kSoon, [&] { return caller.probe.frames > frames + 5; }));
  CHECK(!caller.join(port->port).ok());
  CHECK(caller.leave(*joined));
  CHECK(within(kSoon, [&] { return server.log().find("process has ended") != std::string::npos; }));
  CHECK(server.core().report("plugins").find("caller") != std::string::npos);
}

TEST_CASE("a request too large for the channel is refused and the child lives on") {
  Server server("carried-plugin", Where::child);
  REQUIRE(server.start_error() == "");
  const auto large = server.caller().call(Carried::say, Say{std::string(1 << 20, 'x'), 1, 0, false, {}, {}});
  REQUIRE(!large.ok());
  CHECK(large.error().code == Code::exhausted);
  CHECK(server.caller().call(Carried::say, Say{"hi", 1, 0, false, {}, {}}).ok());
}

TEST_CASE("many calls at once are each answered once and in order") {
  Server server("carried-plugin", Where::child);
  REQUIRE(server.start_error() == "");
  std::vector<std::shared_ptr<test::Promise<Result<carried::Said>>>> answers;
  for (int i = 0; i < 1000; ++i) {
    answers.push_back(std::make_shared<test::Promise<Result<carried::Said>>>());
    server.caller().begin(Carried::say, Say{std::string(500, 'x'), i, 0, false, {}, {}}, answers.back());
  }
  int right = 0;
  for (int i = 0; i < 1000; ++i) {
    auto answer = answers[i]->get();
    if (answer && answer->ok() && (*answer)->number == i + 1) ++right;
  }
  CHECK(right == 1000);
}

TEST_CASE("a plugin that does not start in its child says why") {
  Server server("carried-plugin", Where::child, "{refuse: \"the moon is full\"}");
  CHECK(server.start_error().find("carried-plugin not started: the moon is full") != std::string::npos);
  CHECK(Caller::current != nullptr);
}
