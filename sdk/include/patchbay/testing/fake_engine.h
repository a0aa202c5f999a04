// FakeEngine: an AI engine for tests of plugins that use engines. It registers with the plugin's
// patchbay.engines, and speaks and hears what the test says.
//
//   FakeEngine engine(host, "parrot", "parrot-");
//   ...                                            // the plugin opens a session for a call
//   FakeSession session = engine.last_session();
//   session.ready();
//   session.say("Good morning.", make_tone(tones::beep(), 16000, 500));
//   session.hear("Who is this?");
//   session.call_tool("tool-1", "end_call", "{}");
//   CHECK(session.tool_results().back().call == "tool-1");
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../end_watch.h"
#include "../lifetime.h"
#include "../services/voice_engine.h"
#include "../strand.h"
#include "fake_port.h"
#include "test_environment.h"

namespace patchbay::testing {

namespace detail {

// Test's strand.
class SessionState {
 public:
  using Listener = engine::Listener;

  SessionState(const Host& host, engine::Open with)
      : host_(&host),
        open(std::move(with)),
        session_(host),
        listener_(Lease<Listener>::open(host, open.listener)) {
    using engine::Session;
    listener_end_ = EndWatch(host, open.listener, [this] {
      listener_gone = true;
      close({false, false, "the listener is gone"});
    });
    session_
        .on(Session::begin,
            [this](const Empty&) -> Result<Empty> {
              begun = true;
              return Empty{};
            })
        .on(Session::push_text,
            [this](const engine::Text& text) -> Result<Empty> {
              texts.push_back(text);
              return Empty{};
            })
        .on(Session::tool_result,
            [this](const engine::ToolResult& result) -> Result<Empty> {
              results.push_back(result);
              return Empty{};
            })
        .on(Session::farewell,
            [this](const Empty&) -> Result<Empty> {
              asked_farewell = true;
              return Empty{};
            })
        .on(Session::close, [this](const Empty&) -> Result<Empty> {
          post(*host_, kMainStrand, alive_.bind([this] { close({}); }));  // after the reply
          return Empty{};
        });
  }

  engine::Opened opened() { return {session_.handle(), port.open(*host_)}; }
  template <class M>
  void send(M method, const typename M::Request& what) {
    if (!closed) listener_.send(method, what);
  }
  void close(const engine::Closed& how) {
    if (closed) return;
    send(Listener::closed, how);
    closed = how;
    listener_end_ = EndWatch();
    session_.withdraw();
    port.close([] {});
  }

 private:
  const Host* host_;

 public:
  const engine::Open open;
  bool begun = false, asked_farewell = false, listener_gone = false;
  std::vector<engine::Text> texts;
  std::vector<engine::ToolResult> results;
  std::optional<engine::Closed> closed;
  FakePort port{16000};

 private:
  Provision<engine::Session> session_;
  Lease<Listener> listener_;
  EndWatch listener_end_;
  Lifetime alive_;
};

}  // namespace detail

// One conversation. Copies are the same. Call every function on the test's thread; each waits until the
// plugin is idle.
class FakeSession {
 public:
  FakeSession() = default;
  FakeSession(const TestEnvironment& environment, detail::SessionState& state)
      : environment_(&environment), state_(&state) {}
  // Whether there is such a session.
  explicit operator bool() const noexcept { return state_ != nullptr; }

  // What the engine does.
  void ready(const std::string& note = {}) const { send(engine::Listener::ready, {note}); }
  // The AI speaks: a turn with these words and samples at 16 kHz.
  void say(const std::string& words, const Pcm& pcm = {}) const {
    if (!pcm.empty()) {
      state_->port.say(pcm);
      send(engine::Listener::ai_audio, {});
    }
    if (!words.empty()) send(engine::Listener::ai_words, {words, environment_->wall_ms()});
    send(engine::Listener::turn_complete, {!pcm.empty()});
  }
  // It has understood these words of the callee.
  void hear(const std::string& words) const {
    send(engine::Listener::user_words, {words, environment_->wall_ms()});
  }
  void interrupt(int64_t played_ms, int64_t received_ms) const {
    send(engine::Listener::interrupted, {played_ms, received_ms});
  }
  // It calls a tool; `arguments` is a JSON object.
  void call_tool(const std::string& call, const std::string& name,
                 const std::string& arguments = "{}") const {
    send(engine::Listener::tool_call, {call, name, arguments});
  }
  void cancel_tool(const std::string& call) const { send(engine::Listener::tool_cancel, {call, "", ""}); }
  void use(const engine::Usage& usage) const { send(engine::Listener::usage, usage); }
  void farewell_done() const { send(engine::Listener::farewell_done, {}); }
  // The session ends, as after a fault of its provider.
  void fail(const std::string& reason, bool retryable = false) const {
    act([&] { state_->close({true, retryable, reason}); });
  }

  // What the plugin did.
  engine::Open open() const {
    return environment_->run([this] { return state_->open; });
  }
  bool is_begun() const { return read(&detail::SessionState::begun); }
  bool is_asked_farewell() const { return read(&detail::SessionState::asked_farewell); }
  std::vector<engine::Text> pushed_texts() const { return read(&detail::SessionState::texts); }
  std::vector<engine::ToolResult> tool_results() const { return read(&detail::SessionState::results); }
  // Whether the session was closed because its listener was withdrawn.
  bool is_abandoned() const { return read(&detail::SessionState::listener_gone); }
  // How it ended; nothing: it has not.
  std::optional<engine::Closed> closed() const { return read(&detail::SessionState::closed); }
  // What the engine heard, at 16 kHz.
  Pcm heard() const { return state_->port.heard(); }

 private:
  template <class F>
  void act(F f) const {
    environment_->run(std::move(f));
    static_cast<void>(environment_->settle());
  }
  template <class M>
  void send(M method, const typename M::Request& what) const {
    act([&] { state_->send(method, what); });
  }
  template <class T>
  T read(T detail::SessionState::*member) const {
    static_cast<void>(environment_->settle());
    return environment_->run([&] { return state_->*member; });
  }

  const TestEnvironment* environment_ = nullptr;
  detail::SessionState* state_ = nullptr;  // lives as long as the environment
};

// Call every function on the test's thread. It must live as long as the host.
class FakeEngine {
 public:
  // `models`: as in AddEngine.
  FakeEngine(TestEnvironment& environment, const std::string& name, const std::string& models)
      : environment_(&environment), state_(&environment.make<State>(environment.host(), name, models)) {
    static_cast<void>(environment.settle());
  }

  // For plugins that are given an engine instead of having it registered.
  Handle handle() const {
    return environment_->run([this] { return state_->engine.handle(); });
  }
  // The sessions that were opened, in order.
  std::vector<FakeSession> sessions() const {
    static_cast<void>(environment_->settle());
    std::vector<FakeSession> all;
    environment_->run([&] {
      for (const auto& session : state_->sessions) all.emplace_back(*environment_, *session);
    });
    return all;
  }
  // The latest of them; false if there is none.
  FakeSession last_session() const {
    const auto all = sessions();
    return all.empty() ? FakeSession() : all.back();
  }
  // From now on no session is opened; Code::ok: they are again.
  void refuse(Code code, const std::string& text = "the engine is out of order") const {
    environment_->run([&] { state_->refusal = {code, text}; });
  }

 private:
  // Test's strand.
  struct State {
    State(const Host& host, const std::string& name, const std::string& models)
        : engine(host, name, models, [this, &host](const engine::Open& open) -> Result<engine::Opened> {
            if (refusal.code != Code::ok) return refusal;
            sessions.push_back(std::make_unique<detail::SessionState>(host, open));
            return sessions.back()->opened();
          }) {}
    Error refusal{Code::ok, ""};
    std::vector<std::unique_ptr<detail::SessionState>> sessions;
    engine::VoiceEngine engine;
  };

  TestEnvironment* environment_;
  State* state_;  // lives as long as the environment
};

}  // namespace patchbay::testing
