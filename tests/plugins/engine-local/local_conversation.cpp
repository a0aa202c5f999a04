#include <doctest/doctest.h>

#include "local_engine.h"
#include "plugins/engine-local/phone.h"
#include "plugins/lib/engine/caller.h"
#include "plugins/lib/engine/json_parser.h"
#include "support/within.h"

using namespace patchbay;
using namespace patchbay::lib;
using engine_local::test::phone;
using lib::test::Caller;
using lib::test::RecordingListener;

namespace {

constexpr int kSeconds = 60;  // sanitizers make the models slow

struct Call {
  explicit Call(SessionConfig with = config()) : engine(io, options()) {
    auto opened = engine.open(io[0], with, record);
    REQUIRE(opened.ok());
    session = *std::move(opened);
    caller = std::make_unique<Caller>(*session);
    session->begin();
    REQUIRE(record.wait([&] { return record.ready; }, kSeconds));
  }
  ~Call() {
    caller.reset();
    session.reset();
  }
  static engine_local::Options options() {
    engine_local::Options out;
    out.recogniser.workers = 1;
    out.recogniser.unload_after = std::chrono::minutes(5);
    out.json = lib::test::json();
    return out;
  }
  static SessionConfig config() {
    SessionConfig out;
    out.model = "local";
    out.greeting = "Hello.";
    out.tools = {{"hang_up", "", {}}, {"transfer_to_user", "", {}}, {"callback_later", "", {}}};
    return out;
  }
  bool turns(int count) {
    return record.wait([&] { return record.turns_with_audio >= count; }, kSeconds);
  }
  // Waits until more than `ms` of audio was heard, and then none for a second.
  void hears_out(int64_t ms) {
    CHECK(within(std::chrono::seconds(60), [&] { return caller->heard_ms() > ms; }));
    for (int64_t before = -1; before != caller->heard_ms();) {
      before = caller->heard_ms();
      std::this_thread::sleep_for(std::chrono::seconds(1));
    }
  }

  lib::IoThreads io{"local"};
  engine_local::LocalEngine engine;
  RecordingListener record;
  std::unique_ptr<Session> session;
  std::unique_ptr<Caller> caller;
};

}  // namespace

TEST_CASE("a conversation: greeting, echo, goodbye with a tool and a farewell") {
  Call call;
  call.record.on_call = [&](const std::string& id, const std::string&) {
    call.session->tool_result(id, R"({"status":"accepted"})");
    call.session->farewell();
  };
  REQUIRE(call.turns(1));
  CHECK(call.record.read([&] { return call.record.ai_text; }) == "Hello.");
  call.hears_out(0);
  const int64_t greeted_ms = call.caller->heard_ms();
  call.caller->say(phone("my brother lives in a small house"));
  REQUIRE(call.turns(2));
  CHECK(call.record.read([&] { return call.record.ai_text; }).find("You said: ") != std::string::npos);
  CHECK(call.record.read([&] { return call.record.user_text; }).find("brother") != std::string::npos);
  call.hears_out(greeted_ms);
  call.caller->say(phone("goodbye"));
  REQUIRE(call.record.wait([&] { return call.record.farewell_done; }, kSeconds));
  CHECK(call.record.calls.at(0).name == "hang_up");
  CHECK(call.record.usage.estimated);
  CHECK(call.record.usage.total_tokens > 0);
  CHECK(call.record.interruptions.empty());
  auto heard = call.caller->heard();
  CHECK(std::any_of(heard.begin(), heard.end(), [](int16_t sample) { return sample > 3000; }));
  call.session->close();
  REQUIRE(call.record.wait_closed());
  CHECK(call.record.close.by_us);
}

TEST_CASE("the caller interrupts, and what was heard is counted") {
  auto with = Call::config();
  with.greeting =
      "This is a long greeting which goes on and on about all the things that one can do here by telephone.";
  Call call(with);
  REQUIRE(call.turns(1));
  REQUIRE(within(std::chrono::seconds(60), [&] { return call.caller->heard_ms() >= 500; }));
  call.caller->hum(500);
  REQUIRE(call.record.wait([&] { return call.record.interruptions.size() == 1; }, kSeconds));
  auto heard = call.record.read([&] { return call.record.interruptions[0]; });
  CHECK(heard.played_ms > 300);
  CHECK(heard.played_ms < heard.received_ms);
}

TEST_CASE("answers beyond the speech queue are skipped and counted, and the call continues") {
  Call call;
  REQUIRE(call.turns(1));
  for (int i = 0; i < 1000; ++i)
    call.session->push_text("The caller is silent. Ask whether they are still there.", true);
  CHECK(call.record.wait([&] { return call.engine.stats().unsaid > 0 && call.record.silent_turns > 0; },
                         kSeconds));
  CHECK(call.record.read([&] { return call.record.closes; }) == 0);
}

TEST_CASE("the engine reports that it does not support another language, and speaks English") {
  auto with = Call::config();
  with.language = "de-DE";
  Call call(with);
  CHECK(call.record.read([&] { return call.record.note; }).find("English only") != std::string::npos);
  CHECK(call.turns(1));
}

TEST_CASE("a missing model is a clear error, and sessions may be destroyed at any moment") {
  lib::IoThreads io{"local"};
  RecordingListener record;
  engine_local::Options options;
  options.recogniser.workers = 1;
  options.recogniser.model_dir = "/nonexistent";
  engine_local::LocalEngine engine(io, options);
  auto session = engine.open(io[0], Call::config(), record);
  REQUIRE(session.ok());
  REQUIRE(record.wait_closed());
  CHECK(record.close.reason.find("pocketsphinx-en-us") != std::string::npos);
  for (int i = 0; i < 5; ++i) {
    RecordingListener brief;
    auto gone = engine.open(io[0], Call::config(), brief);
    (*gone)->begin();
  }
}
