// FakeEngine with the parts of a plugin that uses engines, which are the test's own here.
#include <doctest/doctest.h>
#include <patchbay/testing/fake_engine.h>

#include <optional>
#include <string>

using namespace patchbay;
using engine::Listener;
using engine::Session;
using testing::FakeEngine;
using testing::FakeSession;
using testing::OpenPort;
using testing::Pcm;
using testing::TestEnvironment;
using testing::why;

namespace {

// A registry, and the listener of a session, which notes its events.
struct EngineUser {
  explicit EngineUser(const Host& host) : listener(std::in_place, host) {
    const auto note = [this](auto method, auto text) {
      listener->on(method, [this, text](const auto& what) -> Result<Empty> {
        log += text(what) + "\n";
        return Empty{};
      });
    };
    note(Listener::ready, [](const engine::Ready& what) { return "ready " + what.note; });
    note(Listener::user_words, [](const engine::Words& what) { return "user " + what.text; });
    note(Listener::ai_words, [](const engine::Words& what) { return "ai " + what.text; });
    note(Listener::ai_audio, [](const Empty&) { return std::string("audio"); });
    note(Listener::interrupted,
         [](const engine::Interrupted& what) { return "interrupted " + std::to_string(what.played_ms); });
    note(Listener::turn_complete, [](const engine::TurnComplete& what) {
      return std::string(what.had_audio ? "turn with audio" : "turn");
    });
    note(Listener::tool_call,
         [](const engine::ToolCall& what) { return "tool " + what.name + what.arguments; });
    note(Listener::tool_cancel, [](const engine::ToolCall& what) { return "cancel " + what.call; });
    note(Listener::usage, [](const engine::Usage& what) { return "usage " + std::to_string(what.total); });
    note(Listener::farewell_done, [](const Empty&) { return std::string("goodbye"); });
    note(Listener::closed, [](const engine::Closed& what) {
      return std::string(what.failed ? "failed " : "closed ") + what.reason;
    });
  }
  std::optional<Provision<Listener>> listener;
  std::string log;
  engine::AddEngine added;
};

struct EngineLab {
  EngineLab() {
    REQUIRE(why(host.provide<engine::EngineRegistry>([this](Provision<engine::EngineRegistry>& registry) {
              registry.on(engine::EngineRegistry::add_engine,
                          [this](const engine::AddEngine& what) -> Result<Empty> {
                            user.added = what;
                            return Empty{};
                          });
            })) == "");
    engine.emplace(host, "parrot", "parrot-");
  }
  Result<engine::Opened> open() {
    engine::Open request;
    request.model = "parrot-1";
    request.listener = host.run([this] { return user.listener->handle(); });
    return host.call<engine::Engine>(user.added.engine, engine::Engine::open, request);
  }
  template <class M>
  std::string ask(const engine::Opened& opened, M method, typename M::Request request) const {
    return why(host.call<Session>(opened.session, method, std::move(request)));
  }

  TestEnvironment host;
  EngineUser& user = host.make<EngineUser>(host.host());
  std::optional<FakeEngine> engine;
};

}  // namespace

TEST_CASE("a fake engine registers, and speaks and hears what the test says") {
  EngineLab lab;
  CHECK(lab.user.added.name == "parrot");
  CHECK(lab.user.added.models == "parrot-");
  CHECK_FALSE(lab.engine->last_session());
  const auto opened = lab.open();
  REQUIRE(opened.ok());
  const FakeSession session = lab.engine->last_session();
  REQUIRE(session);
  CHECK(session.open().model == "parrot-1");
  session.ready("no transcript");
  CHECK(lab.ask(*opened, Session::begin, {}) == "");
  CHECK(session.is_begun());
  {
    OpenPort port(lab.host, opened->port);
    REQUIRE(port.ok());
    session.say("Good morning.", Pcm(320, 3));
    CHECK(port.pull() == Pcm(320, 3));
    port.push(Pcm(320, 4));
    CHECK(session.heard() == Pcm(320, 4));
  }
  session.hear("Who is this?");
  session.say("I am.");
  session.interrupt(40, 100);
  session.call_tool("t-1", "end_call", R"({"why":1})");
  CHECK(lab.ask(*opened, Session::tool_result, {"t-1", "{}"}) == "");
  REQUIRE(session.tool_results().size() == 1);
  CHECK(session.tool_results()[0].call == "t-1");
  session.cancel_tool("t-2");
  engine::Usage usage;
  usage.total = 12;
  session.use(usage);
  CHECK(lab.ask(*opened, Session::push_text, {"a minute is left", true}) == "");
  CHECK(session.pushed_texts()[0].text == "a minute is left");
  CHECK(lab.ask(*opened, Session::farewell, {}) == "");
  CHECK(session.is_asked_farewell());
  session.farewell_done();
  CHECK(lab.ask(*opened, Session::close, {}) == "");
  session.hear("too late");
  CHECK(lab.user.log ==
        "ready no transcript\naudio\nai Good morning.\nturn with audio\nuser Who is this?\nai I am.\nturn\n"
        "interrupted 40\ntool end_call{\"why\":1}\ncancel t-2\nusage 12\ngoodbye\nclosed \n");
  CHECK(lab.host.problem_text() == "");
}

TEST_CASE("a session fails, an engine refuses, and a session whose listener is gone is closed") {
  EngineLab lab;
  REQUIRE(lab.open().ok());
  lab.engine->last_session().fail("quota", true);
  CHECK(lab.user.log == "failed quota\n");
  CHECK(lab.engine->last_session().closed()->retryable);
  lab.engine->refuse(Code::unavailable, "out of order");
  CHECK(why(lab.open()) == "out of order");
  lab.engine->refuse(Code::ok);
  REQUIRE(lab.open().ok());
  CHECK(lab.engine->sessions().size() == 2);
  lab.host.run([&] { lab.user.listener.reset(); });
  CHECK(lab.engine->last_session().is_abandoned());
}
