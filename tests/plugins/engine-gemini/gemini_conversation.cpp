#include <doctest/doctest.h>

#include "gemini_engine.h"
#include "plugins/engine-gemini/test_options.h"
#include "plugins/lib/engine/caller.h"
#include "support/gemini_server.h"
#include "support/within.h"

using namespace patchbay;
using namespace patchbay::lib;
using lib::test::Caller;
using lib::test::RecordingListener;
using Event = support::GeminiScript::Event;
using support::GeminiScript;
using support::GeminiServer;

namespace {

SessionConfig config() {
  SessionConfig out;
  out.model = "gemini-3.8-live";
  out.system_prompt = "You are a test.";
  out.api_key = "test-key";
  out.tools = {{"hang_up", "Ends the call.", {{"reason", "why", false}}}};
  return out;
}

template <class F>
bool eventually(F condition) {
  for (int i = 0; i < 6000 && !condition(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return condition();
}

void hasty(engine_gemini::Options& options) {
  options.watchdog.first_audio_ms = options.watchdog.after_user_ms = 1000;
}

// A server, an engine and one call with it, with times short enough for a test.
struct Call {
  explicit Call(GeminiScript script = {}, SessionConfig with = config(),
                std::function<void(engine_gemini::Options&)> adjust = {})
      : server(std::move(script)) {
    engine_gemini::Options options = engine_gemini::test::options_for(server.url(), server.ca_file());
    options.greeting_protect_ms = 0;
    options.reconnect.first_delay_ms = 50;
    options.watchdog.first_audio_ms = options.watchdog.after_user_ms = 15'000;
    if (adjust) adjust(options);
    engine = std::make_unique<engine_gemini::GeminiEngine>(options);
    auto opened = engine->open(io, with, record);
    REQUIRE(opened.ok());
    session = *std::move(opened);
    caller = std::make_unique<Caller>(*session);
  }
  ~Call() {
    caller.reset();
    session.reset();
  }
  bool begin() {
    session->begin();
    return record.wait([this] { return record.ready; });
  }
  bool turns(int count) {
    return record.wait([&] { return record.turns_with_audio >= count; });
  }
  // Speaks until there are `count` turns, because speech may be lost while a connection is replaced.
  bool speaks_until(int count) {
    for (int i = 0; i < 30; ++i) {
      caller->hum(300);
      if (within(std::chrono::seconds(2),
                 [&] { return record.read([&] { return record.turns_with_audio >= count; }); }))
        return true;
    }
    return false;
  }
  bool heard(int64_t ms) {
    return eventually([&] { return caller->heard_ms() >= ms; });
  }

  GeminiServer server;
  lib::IoThread io;
  RecordingListener record;
  std::unique_ptr<engine_gemini::GeminiEngine> engine;
  std::unique_ptr<Session> session;
  std::unique_ptr<Caller> caller;
};

}  // namespace

TEST_CASE("a conversation: greeting, question, barge-in, answer") {
  GeminiScript script;
  script.first_answer_ms = 20'000;
  Call call(script);
  REQUIRE(call.begin());
  REQUIRE(call.turns(1));
  CHECK(call.record.read([&] { return call.record.ai_text; }) == "This is answer number 1.");
  REQUIRE(call.heard(500));
  call.caller->hum(400);
  REQUIRE(call.record.wait([&] { return call.record.interruptions.size() == 1; }));
  auto heard = call.record.read([&] { return call.record.interruptions[0]; });
  CHECK(heard.received_ms == 20'000);
  CHECK(heard.played_ms >= 500);
  CHECK(heard.played_ms < 19'000);
  REQUIRE(call.turns(2));
  CHECK(call.record.read([&] { return call.record.user_text; }) == " I have a question");
  REQUIRE(call.heard(heard.played_ms + 2000));
  auto seen = call.server.seen();
  CHECK(seen.complaints.empty());
  CHECK(seen.interruptions == 1);
  call.session->close();
  REQUIRE(call.record.wait_closed());
  CHECK(call.record.close.by_us);
  CHECK(call.record.closes == 1);
  CHECK(call.record.usage.prompt_tokens == 100 + 100 + 200);
  CHECK(call.record.usage.total_tokens == 130 + 100 + 230);
}

TEST_CASE("nothing is sent before the call is answered") {
  Call call;
  REQUIRE(call.record.wait([&] { return call.record.ready; }));
  call.caller->hum(300);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  auto seen = call.server.seen();
  CHECK(seen.audio_ms == 0);
  CHECK(seen.texts.empty());
}

TEST_CASE("a tool call, its result and the farewell") {
  GeminiScript script;
  script.at_turn[1] = Event::tool_call;
  script.answer_ms = 600;
  Call call(script);
  call.record.on_call = [&](const std::string& id, const std::string&) {
    call.session->tool_result(id, R"({"status":"accepted"})");
    call.session->farewell();
  };
  REQUIRE(call.begin());
  REQUIRE(call.record.wait([&] { return call.record.farewell_done; }));
  CHECK(call.record.calls.size() == 1);
  CHECK(call.record.calls[0].name == "hang_up");
  CHECK(call.record.calls[0].args == R"({"reason":"done"})");
  CHECK(within(std::chrono::seconds(60), [&] { return call.caller->heard_ms() == 600; }));
  auto seen = call.server.seen();
  REQUIRE(seen.tool_responses.size() == 1);
  CHECK(seen.tool_responses[0].find(R"("id":"function-call-1")") != std::string::npos);
  CHECK(seen.complaints.empty());
}

TEST_CASE("a cancelled tool call gets no answer") {
  GeminiScript script;
  script.at_turn[1] = Event::cancelled_tool_call;
  Call call(script);
  REQUIRE(call.begin());
  REQUIRE(call.record.wait([&] { return call.record.cancelled.size() == 1; }));
  call.session->tool_result(call.record.cancelled[0], "{}");
  call.session->close();
  REQUIRE(call.record.wait_closed());
  CHECK(call.server.seen().tool_responses.empty());
}

TEST_CASE("a dropped socket is resumed without another greeting") {
  for (Event event : {Event::drop, Event::close_1011}) {
    GeminiScript script;
    script.at_turn[2] = event;
    script.answer_ms = 400;
    Call call(script);
    REQUIRE(call.begin());
    REQUIRE(call.turns(1));
    REQUIRE(call.heard(400));
    call.caller->hum(300);
    REQUIRE(eventually([&] { return call.server.seen().connections == 2; }));
    REQUIRE(eventually([&] { return call.server.seen().setups.size() == 2; }));
    REQUIRE(call.speaks_until(3));
    auto seen = call.server.seen();
    CHECK(seen.setups[1].find(R"("handle":"handle-1")") != std::string::npos);
    CHECK(seen.texts.size() == 1);
    CHECK(seen.complaints.empty());
    CHECK(call.record.closes == 0);
  }
}

TEST_CASE("a refused handle becomes a fresh session that knows what was said") {
  GeminiScript script;
  script.at_turn[2] = Event::drop;
  script.refuse_handles = true;
  script.answer_ms = 400;
  Call call(script);
  REQUIRE(call.begin());
  REQUIRE(call.turns(1));
  REQUIRE(call.heard(400));
  call.caller->hum(300);
  REQUIRE(eventually([&] { return call.server.seen().setups.size() == 3; }));
  auto setup = call.server.seen().setups[2];
  CHECK(setup.find("handle-1") == std::string::npos);
  CHECK(setup.find("You: This is answer number 1.") != std::string::npos);
  CHECK(setup.find("Caller: I have a question") != std::string::npos);
}

TEST_CASE("goAway replaces the connection at a moment of silence") {
  GeminiScript script;
  script.at_turn[1] = Event::go_away;
  script.answer_ms = 400;
  script.go_away_ms = 30'000;
  Call call(script);
  REQUIRE(call.begin());
  REQUIRE(eventually([&] { return call.server.seen().setups.size() == 2; }));
  CHECK(call.record.read([&] { return call.record.going_away; }) == 1);
  auto seen = call.server.seen();
  CHECK(seen.closes.at(0) == 1000);
  CHECK(seen.setups[1].find("handle-1") != std::string::npos);
  CHECK(call.speaks_until(2));
}

TEST_CASE("a flood of goAway is logged once") {
  GeminiScript script;
  script.at_turn[1] = Event::go_away;
  script.answer_ms = 400;
  script.go_away_ms = 30'000;
  script.go_aways = 1000;
  Call call(script);
  REQUIRE(call.begin());
  REQUIRE(eventually([&] { return call.server.seen().setups.size() == 2; }));
  CHECK(call.speaks_until(2));
  CHECK(call.record.read([&] { return call.record.going_away; }) == 1);
}

TEST_CASE("goAway with a handle that the server refuses leads to a fresh session that knows what was said") {
  GeminiScript script;
  script.at_turn[1] = Event::go_away;
  script.refuse_handles = true;
  script.answer_ms = 400;
  script.go_away_ms = 30'000;
  Call call(script);
  REQUIRE(call.begin());
  REQUIRE(eventually([&] { return call.server.seen().setups.size() == 3; }));
  const auto setup = call.server.seen().setups[2];
  CHECK(setup.find("handle-1") == std::string::npos);
  CHECK(setup.find("You: This is answer number 1.") != std::string::npos);
  CHECK(call.speaks_until(2));
  CHECK(call.record.read([&] { return call.record.closes; }) == 0);
}

TEST_CASE("a slow setup succeeds, and one without an end fails as retryable") {
  GeminiScript slow;
  slow.setup_delay_ms = 500;
  Call first(slow);
  REQUIRE(first.begin());
  CHECK(first.turns(1));

  GeminiScript never;
  never.setup_delay_ms = -1;
  Call second(never, config(), [](engine_gemini::Options& o) {
    o.setup_timeout_ms = 300;
    o.reconnect.setup_budget_ms = 500;
  });
  REQUIRE(second.record.wait_closed());
  CHECK(second.record.close.retryable);
  CHECK(second.record.close.reason.find("setupComplete") != std::string::npos);
}

TEST_CASE("a wrong key is final and never quoted") {
  auto with = config();
  with.api_key = "wrong-SECRET";
  Call call({}, with);
  REQUIRE(call.record.wait_closed());
  CHECK(call.record.close.code == 403);
  CHECK(!call.record.close.retryable);
  CHECK(call.record.close.reason.find("SECRET") == std::string::npos);
}

TEST_CASE("a refused field leads to a reduced setup once, and a refused reduced setup is final") {
  GeminiScript script;
  script.refuse_field = "languageCode";
  Call call(script);
  REQUIRE(call.begin());
  auto seen = call.server.seen();
  REQUIRE(seen.setups.size() == 2);
  CHECK(seen.setups[1].find("languageCode") == std::string::npos);

  GeminiScript hopeless;
  hopeless.refuse_field = "model";
  Call other(hopeless);
  REQUIRE(other.record.wait_closed());
  CHECK(other.record.close.code == 1007);
  CHECK(other.server.seen().setups.size() == 2);
}

TEST_CASE("garbage, fragments and odd fields do no harm") {
  for (Event event : {Event::garbage, Event::fragments, Event::odd_fields}) {
    CAPTURE(static_cast<int>(event));
    GeminiScript script;
    script.at_turn[1] = event;
    script.answer_ms = 400;
    Call call(script);
    REQUIRE(call.begin());
    CHECK(call.turns(1));
    CHECK(call.heard(400));
    CHECK(call.record.read([&] { return call.record.ai_text; }) == "This is answer number 1.");
    CHECK(call.server.seen().connections == 1);
  }
}

TEST_CASE("nothing but garbage leads to a new connection") {
  GeminiScript script;
  for (int turn = 1; turn < 50; ++turn) script.at_turn[turn] = Event::garbage_only;
  Call call(script, config(), [](engine_gemini::Options& o) {
    hasty(o);
    o.reconnect.budget_ms = 300;
  });
  REQUIRE(call.begin());
  CHECK(eventually([&] { return call.server.seen().connections >= 2; }));
}

TEST_CASE("a silent model gets a nudge, then a new session, then the call ends") {
  GeminiScript nudge;
  nudge.at_turn[1] = Event::no_answer;
  Call first(nudge, config(), hasty);
  REQUIRE(first.begin());
  CHECK(first.turns(1));
  CHECK(first.server.seen().texts.size() == 2);

  GeminiScript fresh;
  fresh.at_turn[1] = Event::silent_turn;
  fresh.at_turn[2] = Event::no_answer;
  Call second(fresh, config(), hasty);
  REQUIRE(second.begin());
  CHECK(second.turns(1));
  CHECK(second.server.seen().connections == 2);

  GeminiScript dead;
  for (int turn = 1; turn < 20; ++turn) dead.at_turn[turn] = Event::no_answer;
  Call third(dead, config(), hasty);
  REQUIRE(third.begin());
  REQUIRE(third.record.wait_closed());
  CHECK(third.record.close.reason == "the model stays silent");
}

TEST_CASE("inaudible audio leads to a new session") {
  GeminiScript script;
  script.at_turn[1] = Event::quiet_audio;
  Call call(script, config(), hasty);
  REQUIRE(call.begin());
  CHECK(eventually([&] { return call.server.seen().connections == 2; }));
}

TEST_CASE("usage by deltas is summed when the turn has no snapshot") {
  GeminiScript script;
  script.at_turn[1] = Event::usage_deltas;
  Call call(script);
  REQUIRE(call.begin());
  REQUIRE(call.record.wait([&] { return call.record.usage_reports == 1; }));
  CHECK(call.record.usage.response_tokens == 50);
}

TEST_CASE("sessions may be destroyed at any moment") {
  GeminiServer server;
  lib::IoThread io;
  const engine_gemini::Options options = engine_gemini::test::options_for(server.url(), server.ca_file());
  engine_gemini::GeminiEngine engine(options);
  for (int i = 0; i < 10; ++i) {
    RecordingListener record;
    auto session = engine.open(io, config(), record);
    REQUIRE(session.ok());
    (*session)->begin();
    if (i % 2 == 0) record.wait([&] { return record.ready; });
  }
  RecordingListener unused;
  auto bad = config();
  bad.api_key = "a\nb";
  CHECK(!engine.open(io, bad, unused).ok());
}
