// The same plugin files in the server's process and isolated: tests that run both ways, and tests of crashes,
// restarts and configuration of isolated plugins.
#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <thread>

#include "caller.h"
#include "isolation/limits.h"
#include "support/linked_plugin.h"
#include "support/probe_plugin.h"
#include "support/test_server.h"

namespace {

using namespace patchbay;
using callee::Callee;
using callee::Say;
using isolated::Caller;

enum class Where { here, process };

std::string file_of(const std::string& id) { return std::string(PATCHBAY_ABI_PLUGINS) + "/" + id + ".so"; }

// A plugin's section: `own` is "key: value, ..." or "".
std::string section(Where where, const std::string& own) {
  const std::string isolation = where == Where::process ? "isolation: process, " : "";
  return "{" + isolation + own + "}";
}

struct Server : test::TestServer {
  explicit Server(Where where, const std::string& own = "")
      : TestServer(yaml(where, own), nullptr, {&test::LinkedPlugin<Caller>::entry},
                   {{"callee-plugin", file_of("callee-plugin")}}) {}
  static std::string yaml(Where where, const std::string& own) {
    return "plugins: {media: {}, caller: {}, callee-plugin: " + section(where, own) +
           "}\ntenants: {localhost: {}}\n";
  }
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

constexpr auto kSoon = std::chrono::seconds(60);

// Kills the plugin's process with a signal.
pid_t end_process(Caller& caller, int signal) {
  auto said = caller.call(Callee::say, Say{"hi", 1, 0, false, {}, {}});
  if (!said.ok()) FAIL(said.error().text);
  const auto pid = static_cast<pid_t>(said->pid);
  REQUIRE(pid != ::getpid());
  REQUIRE(::kill(pid, signal) == 0);
  return pid;
}

// The route's handler is a private instance, which the probe plugin that provides patchbay.http calls.
void hello_greets(Where where) {
  test::TestServer server("plugins: {probe: {}, hello-plugin: " + section(where, "greeting: moin") +
                              "}\ntenants: {localhost: {}}\n",
                          nullptr, {probe::entry()}, {{"hello-plugin", file_of("hello-plugin")}});
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
  Server server(where);
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
  Server server(where);
  REQUIRE(server.start_error() == "");
  auto said = server.caller().call(Callee::say, Say{"hi", 41, 0.25, true, Buffer::copy("bytes"), {}});
  REQUIRE(said.ok());
  CHECK(said->text == "hi!");
  CHECK(said->number == 42);
  CHECK(said->ratio == 0.5);
  CHECK(said->bytes.view() == "bytes");
  CHECK((said->pid == ::getpid()) == (where == Where::here));

  const auto refused = server.caller().call(Callee::say, Say{"", -1, 0, false, {}, {}});
  REQUIRE(!refused.ok());
  CHECK(refused.error().code == Code::invalid);
  CHECK(refused.error().text == "the number is negative");

  const auto heard =
      server.caller().call(Callee::say, Say{"hi", 1, 0, false, {}, server.caller().listener()});
  REQUIRE(heard.ok());
  CHECK(heard.value().text == "heard hi");

  CHECK(server.caller().call(Callee::say_inline, Say{"quick", 1, 0, false, {}, {}}).ok());

  const std::string large(3 << 20, 'x');
  const auto returned = server.caller().call(Callee::say, Say{large, 1, 0, false, Buffer::copy(large), {}});
  REQUIRE(returned.ok());
  CHECK(returned.value().text == large);
  CHECK(returned.value().bytes.view() == large);
  CHECK(server.core().stop().ok());
}

void port_is_joined(Where where) {
  Server server(where);
  REQUIRE(server.start_error() == "");
  auto port = server.caller().call(Callee::port, Empty{});
  REQUIRE(port.ok());
  for (int turn = 0; turn < 2; ++turn) {
    auto joined = server.caller().join(port->port);
    REQUIRE(joined.ok());
    CHECK(within(kSoon, [&] { return server.caller().probe.heard == isolated::ProbePort::kSaid + 1; }));
    CHECK(server.caller().leave(*joined));
    server.caller().probe.heard = 0;
  }
  CHECK(server.caller().call(Callee::close_port, Empty{}).ok());
  const auto late = server.caller().join(port->port);
  REQUIRE(!late.ok());
  CHECK(late.error().code == Code::not_found);
  CHECK(server.core().stop().ok());
}

using Delays = std::vector<isolated::StampProbe::Delay>;

// What a stamp port has returned of 60 frames.
void frames_return(Where where, bool is_caller_paced, bool is_callee_paced) {
  CAPTURE(is_caller_paced);
  CAPTURE(is_callee_paced);
  Server server(where);
  REQUIRE(server.start_error() == "");
  auto port = server.caller().call(Callee::stamp_port, callee::StampPort{is_callee_paced});
  REQUIRE(port.ok());
  auto joined = server.caller().join_stamps(port->port, is_caller_paced);
  REQUIRE(joined.ok());
  const isolated::StampProbe& probe = *server.caller().stamps;
  CHECK(within(kSoon, [&] { return probe.delays().size() >= 60; }));
  CHECK(server.caller().leave_stamps(*joined));
  const Delays delays = probe.delays();
  CHECK(delays.size() <= probe.sent());
  if (is_caller_paced || is_callee_paced) return;
  // On arrival, both ways: many before the next tick even on a busy machine.
  CHECK(std::count_if(delays.begin(), delays.end(), [](const auto& each) { return each.before_tick; }) >= 5);
  CHECK(server.core().stop().ok());
}

}  // namespace

TEST_CASE("frames pass between two ticks in the server's process") {
  frames_return(Where::here, false, false);
}
TEST_CASE("frames pass to an isolated plugin and back between two ticks") {
  frames_return(Where::process, false, false);
}
TEST_CASE("frames pass between an isolated plugin and a port that both have their own way of taking them") {
  frames_return(Where::process, true, false);
  frames_return(Where::process, false, true);
  frames_return(Where::process, true, true);
}

TEST_CASE("hello-plugin answers in the server's process") { hello_greets(Where::here); }
TEST_CASE("hello-plugin answers when isolated") { hello_greets(Where::process); }
TEST_CASE("events are received and published in the server's process") { events_pass(Where::here); }
TEST_CASE("events are received and published by an isolated plugin") { events_pass(Where::process); }
TEST_CASE("a service is called in the server's process") { service_is_called(Where::here); }
TEST_CASE("a service of an isolated plugin is called like any other") { service_is_called(Where::process); }
TEST_CASE("a port is joined in the server's process") { port_is_joined(Where::here); }
TEST_CASE("a port of an isolated plugin is joined like any other") { port_is_joined(Where::process); }

TEST_CASE("a killed process is gone to its callers and joins, and is restarted soon") {
  Server server(Where::process);
  REQUIRE(server.start_error() == "");
  Caller& caller = server.caller();
  auto port = caller.call(Callee::port, Empty{});
  REQUIRE(port.ok());
  auto joined = caller.join(port->port);
  REQUIRE(joined.ok());
  CHECK(within(kSoon, [&] { return caller.probe.heard == isolated::ProbePort::kSaid + 1; }));
  auto waiting = std::make_shared<test::Promise<Result<callee::Said>>>();
  caller.begin(Callee::never, Say{}, waiting);

  const int changes = caller.changes();
  const pid_t first = end_process(caller, SIGKILL);
  const auto gone = waiting->get();
  REQUIRE(gone.has_value());
  REQUIRE(!gone->ok());
  CHECK(gone->error().code == Code::gone);
  CHECK(within(kSoon, [&] { return caller.changes() == changes + 2 && caller.up(); }));
  auto again = caller.call(Callee::say, Say{"hi", 1, 0, false, {}, {}});
  REQUIRE(again.ok());
  CHECK(again->pid != first);

  CHECK(!caller.join(port->port).ok());
  CHECK(caller.leave(*joined));
  auto fresh = caller.call(Callee::port, Empty{});
  REQUIRE(fresh.ok());
  auto rejoined = caller.join(fresh->port);
  REQUIRE(rejoined.ok());
  CHECK(within(kSoon, [&] { return caller.probe.heard == isolated::ProbePort::kSaid + 1; }));
  CHECK(caller.leave(*rejoined));
  CHECK(server.log().find("the plugin's process has ended") != std::string::npos);
  CHECK(server.core().report("metrics").find("patchbay_plugin_restarts_total{plugin=\"callee-plugin\"} 1") !=
        std::string::npos);
  CHECK(server.core().report("ready").find(R"("ready":true)") != std::string::npos);
  CHECK(server.core().stop().ok());
}

TEST_CASE("a plugin that watches an isolated plugin's handles is notified of its crash") {
  Server server(Where::process);
  REQUIRE(server.start_error() == "");
  Caller& caller = server.caller();
  auto port = caller.call(Callee::port, Empty{});
  REQUIRE(port.ok());
  caller.watch_port(port->port);
  for (int turn = 0; turn < 2; ++turn) {  // each process is another caller
    caller.caller_gone = false;
    REQUIRE(caller.call(Callee::say, Say{"hi", 1, 0, false, {}, caller.listener()}).ok());
    CHECK(!caller.caller_gone);
    const int changes = caller.changes();
    end_process(caller, SIGKILL);
    CHECK(within(kSoon, [&] { return caller.caller_gone.load(); }));
    CHECK(within(kSoon, [&] { return caller.changes() == changes + 2 && caller.up(); }));
  }
  CHECK(within(kSoon, [&] { return caller.port_gone.load(); }));
  CHECK(server.core().stop().ok());
}

// The callee plugin watches the listener that it was passed.
TEST_CASE("an isolated plugin is notified when a watched instance ends") {
  for (const Where where : {Where::here, Where::process}) {
    Server server(where);
    REQUIRE(server.start_error() == "");
    Caller& caller = server.caller();
    REQUIRE(caller.call(Callee::say, Say{"hi", 1, 0, false, {}, caller.listener()}).ok());
    CHECK(caller.call(Callee::left, Empty{}).ok());
    caller.drop_listener();
    CHECK(within(kSoon, [&] {
      const auto left = caller.call(Callee::left, Empty{});
      return left.ok() && left.value().number == 1;
    }));
    CHECK(server.core().stop().ok());
  }
}

TEST_CASE("a plugin that crashes more often than its budget allows is quarantined until it is reconfigured") {
  const std::string budget = "restarts: {most: 2, within_s: 600}";
  Server server(Where::process, budget);
  REQUIRE(server.start_error() == "");
  Caller& caller = server.caller();
  for (int end = 0; end < 3; ++end) {
    CHECK(within(kSoon, [&] { return caller.up(); }));
    const int changes = caller.changes();
    end_process(caller, SIGSEGV);
    CHECK(within(kSoon, [&] { return caller.changes() > changes; }));
  }
  const auto says = [&](const char* what, const char* part) {
    return within(kSoon, [&] { return server.core().report(what).find(part) != std::string::npos; });
  };
  CHECK(says("ready", R"({"ready":false,"plugins":{)"));
  CHECK(says("ready", R"("callee-plugin":"quarantined")"));
  CHECK(says("plugins", "more than 2 restarts in 600 s"));
  CHECK(says("plugins", "signal 11"));
  CHECK(says("metrics", "patchbay_plugin_up{plugin=\"callee-plugin\"} 0"));
  CHECK(!caller.up());

  CHECK(server.reload(Server::yaml(Where::process, budget + ", word: again")).ok());
  CHECK(within(kSoon, [&] { return caller.up(); }));
  CHECK(says("ready", R"("callee-plugin":"running")"));
  CHECK(server.core().stop().ok());
}

TEST_CASE("an isolated plugin checks a configuration, applies it, and is restarted with it") {
  Server server(Where::process);
  REQUIRE(server.start_error() == "");
  const auto word = [&] {
    const auto said = server.caller().call(Callee::word, Empty{});
    return said.ok() ? said.value().text : said.error().text;
  };
  CHECK(word() == "none");
  const Status refused = server.reload(Server::yaml(Where::process, "word: bad"));
  REQUIRE(!refused.ok());
  CHECK(refused.error().text == "callee-plugin: the word is bad");
  CHECK(word() == "none");
  CHECK(server.reload(Server::yaml(Where::process, "word: moin")).ok());
  CHECK(word() == "moin");
  const int changes = server.caller().changes();
  end_process(server.caller(), SIGABRT);
  CHECK(within(kSoon, [&] { return server.caller().changes() == changes + 2; }));
  CHECK(word() == "moin");
  const Status moved = server.reload(Server::yaml(Where::here, "word: moin"));
  REQUIRE(!moved.ok());
  CHECK(moved.error().code == Code::unsupported);
}

TEST_CASE("a server stops while a plugin's process is being restarted") {
  for (int turn = 0; turn < 3; ++turn) {
    Server server(Where::process);
    REQUIRE(server.start_error() == "");
    const int changes = server.caller().changes();
    end_process(server.caller(), SIGKILL);
    CHECK(within(kSoon, [&] { return server.caller().changes() > changes; }));
    std::this_thread::sleep_for(std::chrono::milliseconds(turn * 40));  // before, in and after the start
    CHECK(server.core().stop().ok());
  }
}

TEST_CASE("a plugin that is linked into the program cannot be isolated") {
  test::TestServer server("plugins: {caller: {isolation: process}}\ntenants: {localhost: {}}\n", nullptr,
                          {&test::LinkedPlugin<Caller>::entry});
  CHECK(server.start_error().find("caller not started: it is linked into the program") != std::string::npos);
}

TEST_CASE("a message too large for any frame is refused and the process continues") {
  Server server(Where::process);
  REQUIRE(server.start_error() == "");
  const std::string large(core::isolation::kMaxFrameBytes + 1, 'x');
  const auto refused = server.caller().call(Callee::say, Say{large, 1, 0, false, {}, {}});
  REQUIRE(!refused.ok());
  CHECK(refused.error().code == Code::exhausted);
  CHECK(server.caller().call(Callee::say, Say{"hi", 1, 0, false, {}, {}}).ok());
}

TEST_CASE("many concurrent calls are each answered once") {
  Server server(Where::process);
  REQUIRE(server.start_error() == "");
  std::vector<std::shared_ptr<test::Promise<Result<callee::Said>>>> answers;
  for (int i = 0; i < 1000; ++i) {
    answers.push_back(std::make_shared<test::Promise<Result<callee::Said>>>());
    server.caller().begin(Callee::say, Say{std::string(500, 'x'), i, 0, false, {}, {}}, answers.back());
  }
  int right = 0;
  for (int i = 0; i < 1000; ++i) {
    auto answer = answers[i]->get();
    if (answer && answer->ok() && (*answer)->number == i + 1) ++right;
  }
  CHECK(right == 1000);
}

TEST_CASE("an isolated plugin that does not start reports the reason") {
  Server server(Where::process, "refuse: \"the moon is full\"");
  CHECK(server.start_error().find("callee-plugin not started: the moon is full") != std::string::npos);
  CHECK(Caller::current != nullptr);
}

TEST_CASE("an isolated process inherits no descriptors or variables of the server but those meant for it") {
  ::setenv("PATCHBAY_TEST_SECRET", "open-sesame", 1);
  Server server(Where::process);
  REQUIRE(server.start_error() == "");
  const auto said = server.caller().call(Callee::surroundings, Empty{});
  REQUIRE(said.ok());
  CHECK(said.value().text.find("open-sesame") == std::string::npos);
  CHECK(said.value().text.find("PATH=") != std::string::npos);
  CHECK(said.value().text.find("patchbay.db") == std::string::npos);
  CHECK(said.value().number == 0);  // files and sockets except 0 to 3
  ::unsetenv("PATCHBAY_TEST_SECRET");
}
