// Faulty engines of other plugins: the call ends, and the transcript is kept.
#include <doctest/doctest.h>
#include <patchbay/audio.h>
#include <patchbay/plugin.h>
#include <patchbay/services/voice_engine.h>
#include <patchbay/utc.h>

#include <atomic>
#include <map>
#include <memory>
#include <optional>

#include "call_server.h"
#include "runtime/manual_clock.h"
#include "support/linked_plugin.h"
#include "support/probe_requests.h"

using namespace patchbay;
using namespace patchbay::test;

namespace {

using S = engine::Session;
using L = engine::Listener;

class SilentPort final : public AudioPort {
  uint32_t pull_rate_hz() const noexcept override { return 16000; }
  uint32_t push_rate_hz() const noexcept override { return 16000; }
  void pull(pb_frame& out) override {
    for (uint32_t i = 0; i < out.capacity; ++i) out.pcm[i] = 0;
    out.samples = out.capacity;
  }
  void push(const pb_frame&) override {}
};

// The model's name selects what it does once the call was answered.
class OddSession {
 public:
  OddSession(const Host& host, const engine::Open& open, Function<void()> ended)
      : host_(host),
        model_(open.model),
        key_(open.api_key),
        ended_(std::move(ended)),
        listener_(Lease<L>::open(host, open.listener)),
        session_(std::in_place, host) {
    session_->on(S::begin, [this](const Empty&) -> Result<Empty> {
      post(host_, kMainStrand, [this] { misbehave(); });
      return Empty{};
    });
    session_->on(S::push_text, [](const engine::Text&) -> Result<Empty> { return Empty{}; });
    session_->on(S::tool_result, [](const engine::ToolResult&) -> Result<Empty> { return Empty{}; });
    session_->on(S::farewell, [this](const Empty&) -> Result<Empty> {
      listener_.send(L::farewell_done, {});
      return Empty{};
    });
    session_->on(S::close, [this](const Empty&) -> Result<Empty> {
      close();
      return Empty{};
    });
    port_.open(host);
    listener_.send(L::ready, {""});
  }
  engine::Opened handles() { return {session_->handle(), port_.handle()}; }
  void close() {
    if (std::exchange(closing_, true)) return;
    listener_.send(L::closed, {});
    port_.close([this] { ended_(); });
  }

 private:
  void say(const std::string& text) { listener_.send(L::ai_words, {text, host_.wall_ms()}); }
  void misbehave() {
    say("Hello.");
    if (model_ == "odd-flood") {
      for (int i = 0; i < 40; ++i) say(std::string(60 * 1024, 'a' + static_cast<char>(i % 26)));
    } else if (model_ == "odd-bytes") {
      say(" K\xC3");
      say("\xA4se \xFF");
      say(std::string("\0end", 4));
      listener_.send(L::tool_call, {"1", "hang_up\xC3", "{}"});
      listener_.send(L::tool_call, {"2", "hang_up", "{}"});
    } else if (model_ == "odd-tells") {
      closing_ = true;
      listener_.send(L::closed, {true, false, "1008 " + key_ + " is no key, nor is " + key_.substr(0, 10)});
      port_.close([this] { ended_(); });
    } else {  // withdraws without closed()
      closing_ = true;
      session_.reset();
      port_.close([this] { ended_(); });
    }
  }

  const Host& host_;
  const std::string model_;
  const std::string key_;
  Function<void()> ended_;
  Lease<L> listener_;
  SilentPort port_;
  std::optional<Provision<S>> session_;
  bool closing_ = false;
};

class OddEngine final : public Plugin {
 public:
  static constexpr char manifest[] =
      R"({"id": "odd", "version": "0.1.0", "optional": ["patchbay.engines/1"],
          "config": {"plugin": {"type": "object", "properties": {}}}})";
  static constexpr char store_sql[] = "";

  Status start(const Config&) override { return {}; }
  Status check_config(const Config&) override { return {}; }
  void stop(Done done) override {
    engine_.withdraw();
    stopped_.emplace(std::move(done));
    for (const auto& [id, session] : sessions_) session->close();
    if (sessions_.empty()) (*stopped_)();
  }

 private:
  Result<engine::Opened> begin(const engine::Open& open) {
    if (open.model == "odd-refuses") return {Code::invalid, open.api_key + " is no key"};
    const int64_t id = ++last_;
    auto session = std::make_unique<OddSession>(host(), open, [this, id] { ended(id); });
    return sessions_.emplace(id, std::move(session)).first->second->handles();
  }
  void ended(int64_t id) {
    post(host(), kMainStrand, [this, id] {
      sessions_.erase(id);
      if (sessions_.empty() && stopped_) (*stopped_)();
    });
  }

  int64_t last_ = 0;
  std::map<int64_t, std::unique_ptr<OddSession>> sessions_;
  std::optional<Done> stopped_;
  engine::VoiceEngine engine_{
      host(), "odd", "odd-",
      [this](const engine::Open& open) -> Result<engine::Opened> { return begin(open); }, true};
};

// Registers at its start, or in announce() when `holds_back` is set. Refuses every call.
class LateEngine final : public Plugin {
 public:
  static constexpr char manifest[] =
      R"({"id": "late", "version": "0.1.0", "optional": ["patchbay.engines/1"],
          "config": {"plugin": {"type": "object", "properties": {}}}})";
  static constexpr char store_sql[] = "";
  static inline std::atomic<bool> holds_back{false};
  static inline LateEngine* current = nullptr;

  Status start(const Config&) override {
    current = this;
    if (!holds_back) make_known();
    return {};
  }
  Status check_config(const Config&) override { return {}; }
  void announce() {
    post(host(), kMainStrand, [this] { make_known(); });
  }
  void withdraw() {
    post(host(), kMainStrand, [this] { engine_.reset(); });
  }

 private:
  void make_known() {
    engine_.emplace(host(), "late", "late-", [](const engine::Open&) -> Result<engine::Opened> {
      return {Code::unavailable, "asked too late"};
    });
  }
  std::optional<engine::VoiceEngine> engine_;
};

// The number of registrations of the late engine, over all starts.
size_t times_known(const std::string& log) {
  const std::string line = "engine added engine=late";
  size_t count = 0;
  for (size_t at = log.find(line); at != std::string::npos; at = log.find(line, at + 1)) ++count;
  return count;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// A call with the late engine that comes due when the server has been started again without it.
struct Restarted {
  Restarted() : server(options()) {
    LateEngine::holds_back = false;
    id = server.create(R"(,"model":"late-1","scheduleAtUtc":")" + utc_text(clock.now_ms() + 5000) + "\"");
    LateEngine::holds_back = true;
    server.server().restart();
    REQUIRE(server.server().start_error() == "");
    clock.advance(std::chrono::seconds(6));
    REQUIRE(ticks_until([&] { return contains(server.server().log(), "the call waits for its engine"); }));
  }
  // Timers may be armed after the clock was advanced, so it goes on while the test waits.
  template <class F>
  bool ticks_until(F done) {
    return probe::eventually([&] {
      clock.advance(std::chrono::milliseconds(20));
      return done();
    });
  }
  CallRecord ended() {
    static_cast<void>(ticks_until([&] { return server.get(id).text("status") == "ended-failed-final"; }));
    return server.get(id);
  }
  CallServer::Options options() {
    LateEngine::holds_back = false;
    CallServer::Options out;
    out.trunks = {{"main", trunk.port()}};
    out.plugins = "  late: {}\n";
    out.linked = {&LinkedPlugin<LateEngine>::entry};
    out.clock = &clock;
    return out;
  }
  core::ManualClock clock;
  DeafPort trunk;
  CallServer server;
  std::string id;
};

CallServer::Options options(uint16_t trunk_port) {
  CallServer::Options out;
  out.trunks = {{"main", trunk_port}};
  out.plugins = "  odd: {}\n";
  out.linked = {&LinkedPlugin<OddEngine>::entry};
  return out;
}

}  // namespace

TEST_CASE("an engine that sends endless text ends its call, and earlier text is kept") {
  Sipp peer = start_sipp("answer");
  CallServer server(options(peer.port()));
  const std::string id = server.create(R"(,"model":"odd-flood")");
  const CallRecord record = server.wait(id, "ended-failed-final");
  INFO(record.body);
  CHECK(record.text("status") == "ended-failed-final");
  CHECK(record.text("endedReason") == "far-hangup");
  CHECK(contains(record.text("errorDetail"), "more than 1 MiB of text"));
  const std::string words = server.transcript(id);
  CHECK(contains(words, "Hello."));
  CHECK(words.size() > 900 * 1024);
  CHECK(words.size() < 1200 * 1024);
  check_sipp(peer);
  CHECK(server.idle());
}

TEST_CASE("invalid UTF-8 of an engine affects neither transcript nor call") {
  Sipp peer = start_sipp("answer");
  CallServer server(options(peer.port()));
  const std::string id = server.create(R"(,"model":"odd-bytes")");
  const CallRecord record = server.wait(id, "ended-success");
  INFO(record.body);
  CHECK(record.text("endedReason") == "finished");
  const std::string words = server.transcript(id);
  INFO(words);
  CHECK(contains(words,
                 "Hello. K\xC3\xA4se \xEF\xBF\xBD\xEF\xBF\xBD"
                 "end"));
  check_sipp(peer);
  CHECK(server.idle());
}

TEST_CASE("a key quoted in an engine's closed() is redacted") {
  Sipp peer = start_sipp("answer");
  CallServer server(options(peer.port()));
  const std::string id = server.create(R"(,"model":"odd-tells","apiKey":"key-of-acme-one")");
  const CallRecord record = server.wait(id, "ended-failed-final");
  INFO(record.body);
  CHECK(record.text("errorDetail") == "1008 *** is no key, nor is ***");
  const Json finished = server.last_event(id, "outbound-ai.finished");
  CHECK(finished.root().text("errorDetail", "") == record.text("errorDetail"));
  for (const std::string& text : {server.transcript(id), server.server().log()})
    CHECK_FALSE(contains(text, "key-of-acm"));
  check_sipp(peer);
  CHECK(server.idle());
}

TEST_CASE("a key quoted in an engine's refusal is redacted") {
  Sipp peer = start_sipp("answer");
  CallServer server(options(peer.port()));
  const std::string id = server.create(R"(,"model":"odd-refuses","apiKey":"key-of-acme-one")");
  const CallRecord record = server.wait(id, "ended-failed-final");
  INFO(record.body);
  CHECK(contains(record.text("errorDetail"), "*** is no key"));
  CHECK_FALSE(contains(server.server().log(), "key-of-acm"));
}

TEST_CASE("an engine that is withdrawn without closed() ends its call") {
  Sipp peer = start_sipp("answer");
  CallServer server(options(peer.port()));
  const std::string id = server.create(R"(,"model":"odd-gone")");
  const CallRecord record = server.wait(id, "ended-failed-final");
  INFO(record.body);
  INFO(server.server().log());
  CHECK(record.text("errorDetail") == "the plugin of the AI engine has stopped");
  CHECK(contains(server.transcript(id), "Hello."));
  check_sipp(peer);
  CHECK(server.idle());
}

TEST_CASE("a call that is due when the server starts waits for its engine") {
  Restarted now;
  CHECK(now.server.get(now.id).text("status") == "scheduled");
  LateEngine::current->announce();
  REQUIRE(probe::eventually([&] { return times_known(now.server.server().log()) == 2; }));
  const CallRecord record = now.ended();
  INFO(record.body);
  CHECK(record.text("errorDetail") == "the AI engine cannot be used: asked too late");
}

TEST_CASE("a call whose engine does not appear ends") {
  Restarted now;
  now.clock.advance(std::chrono::seconds(40));
  const CallRecord record = now.ended();
  INFO(record.body);
  CHECK(record.text("errorDetail") == "no engine serves the model");
}

TEST_CASE("a call whose engine has ended waits until it registers again") {
  core::ManualClock clock;
  DeafPort trunk;
  LateEngine::holds_back = false;
  CallServer::Options options;
  options.trunks = {{"main", trunk.port()}};
  options.plugins = "  late: {}\n";
  options.linked = {&LinkedPlugin<LateEngine>::entry};
  options.clock = &clock;
  CallServer server(options);
  const auto ticks_until = [&](const auto& done) {
    return probe::eventually([&] {
      clock.advance(std::chrono::milliseconds(20));
      return done();
    });
  };
  REQUIRE(ticks_until([&] { return times_known(server.server().log()) == 1; }));
  LateEngine::current->withdraw();
  REQUIRE(ticks_until([&] { return contains(server.server().log(), "engine ended engine=late"); }));
  const std::string id = server.create(R"(,"model":"late-1")");
  REQUIRE(ticks_until([&] { return contains(server.server().log(), "the call waits for its engine"); }));
  LateEngine::current->announce();
  REQUIRE(ticks_until([&] { return server.get(id).text("status") == "ended-failed-final"; }));
  CHECK(server.get(id).text("errorDetail") == "the AI engine cannot be used: asked too late");
}
