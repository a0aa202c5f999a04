// A conversation between a leg and an engine that the test simulates.
#include "conversation/conversation.h"

#include <doctest/doctest.h>
#include <patchbay/testing/fake_audio.h>
#include <patchbay/testing/fake_port.h>
#include <patchbay/testing/test_environment.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

using namespace patchbay;
using namespace patchbay::ai_voice;
using L = engine::Listener;
using S = engine::Session;
using telephony::LegListener;
using testing::why;

namespace {

constexpr char kKey[] = "a-key-of-the-test";

// Owner, leg and engine of one conversation; records every call they receive as a line of text.
class TestCall : public Conversation::Owner {
 public:
  explicit TestCall(int64_t max_seconds = 300)
      : audio_(environment), voice_(environment.make<testing::FakePort>(16000)) {
    ConversationInit init;
    init.call_id = "oac-1";
    init.model = "test-1";
    init.api_key = kKey;
    init.max_seconds = max_seconds;
    init.engine = environment.run([&] {
      provide();
      return engine_->handle();
    });
    environment.run([&] {
      conversation = std::make_unique<Conversation>(environment.host(), kMainStrand, init, *this);
      conversation->open_engine();
    });
    settle();
  }
  ~TestCall() override {
    environment.run([&] {
      conversation.reset();
      engine_.reset();
      session_.reset();
      leg_.reset();
    });
  }

  void settle() { REQUIRE(why(environment.settle()) == ""); }
  void advance_ms(int64_t ms) { REQUIRE(why(environment.advance_ms(ms)) == ""); }
  // Sends a report of the engine.
  template <class M>
  void engine_says(M method, typename M::Request what) {
    CHECK(environment.call<L>(listener_, method, std::move(what)).ok());
    settle();
  }
  // Sends turns that have audio and no text.
  void engine_takes_turns(int count) {
    environment.run([&] {
      const auto lease = Lease<L>::open(environment.host(), listener_);
      for (int i = 0; i < count; ++i) {
        lease.send(L::ai_audio, {});
        lease.send(L::turn_complete, {true});
      }
    });
    settle();
  }
  // Sends a report of the leg.
  template <class M>
  void leg_says(M method, typename M::Request what) {
    const Handle listener = environment.run([&] { return conversation->leg_listener(); });
    CHECK(environment.call<LegListener>(listener, method, std::move(what)).ok());
    settle();
  }
  void answer() {
    auto& port = environment.make<testing::FakePort>(8000);
    environment.run([&] {
      conversation->set_leg(leg_->handle());
      conversation->answered(port.open(environment.host()));
    });
    settle();
  }
  void close(const std::string& reason) {
    environment.run([&] { conversation->close(reason, environment.host().wall_ms()); });
    settle();
  }
  bool has(const std::string& line) {
    return environment.run([&] { return std::find(lines.begin(), lines.end(), line) != lines.end(); });
  }
  std::string all() {
    return environment.run([&] {
      std::string text;
      for (const std::string& line : lines) text += line + "\n";
      return text;
    });
  }
  size_t joined() { return audio_.joined(); }

  testing::TestEnvironment environment;
  std::unique_ptr<Conversation> conversation;
  bool rings_elsewhere = false;

 private:
  void on_ringing(const telephony::Progress&) override { note("rings"); }
  void on_answered(const telephony::Answered&) override { note("answered"); }
  void on_leg_ended(const telephony::Ended& ended) override { note("leg ended: " + ended.cause); }
  void on_started() override { note("started"); }
  void on_first_audio(int64_t ms) override { note("first audio after " + std::to_string(ms)); }
  void on_turns() override {}
  void on_completed(std::string_view outcome) override { note("completed: " + std::string(outcome)); }
  void on_failed(std::string reason) override { note("failed: " + reason); }
  void on_drained() override { note("drained"); }
  bool is_transferring() const override { return rings_elsewhere; }
  void on_digit_after_transfer(const std::string& digit) override { note("key for the target: " + digit); }
  void note(std::string line) { lines.push_back(std::move(line)); }

  void provide() {
    const Host& host = environment.host();
    leg_ = std::make_unique<Provision<telephony::Leg>>(host);
    leg_->on(telephony::Leg::hangup, [this](const telephony::Hangup& what) -> Result<Empty> {
      note("hang up: " + what.reason);
      return Empty{};
    });
    session_ = std::make_unique<Provision<S>>(host);
    const auto noted = [this](const char* line) {
      return [this, line](const Empty&) -> Result<Empty> {
        note(line);
        return Empty{};
      };
    };
    session_->on(S::begin, noted("begin"))
        .on(S::farewell, noted("farewell"))
        .on(S::close, noted("close"))
        .on(S::push_text,
            [this](const engine::Text& text) -> Result<Empty> {
              note("text: " + text.text);
              return Empty{};
            })
        .on(S::tool_result, [this](const engine::ToolResult& result) -> Result<Empty> {
          note("result of " + result.call);
          return Empty{};
        });
    engine_ = std::make_unique<Provision<engine::Engine>>(host);
    engine_->on(engine::Engine::open, [this](const engine::Open& open) -> Result<engine::Opened> {
      listener_ = open.listener;
      return engine::Opened{session_->handle(), voice_.open(environment.host())};
    });
  }

  std::vector<std::string> lines;  // on the strand
  testing::FakeAudio audio_;
  testing::FakePort& voice_;
  std::unique_ptr<Provision<telephony::Leg>> leg_;
  std::unique_ptr<Provision<S>> session_;
  std::unique_ptr<Provision<engine::Engine>> engine_;
  Handle listener_;
};

}  // namespace

TEST_CASE("the engine begins when it is ready and the callee's answer is stored") {
  for (const bool ready_first : {true, false}) {
    CAPTURE(ready_first);
    TestCall call;
    if (ready_first) call.engine_says(L::ready, {""});
    call.answer();
    CHECK(call.joined() == 1);
    CHECK_FALSE(call.has("begin"));
    call.environment.run([&] { call.conversation->allow_begin(); });
    call.settle();
    CHECK(call.has("begin") == ready_first);
    if (!ready_first) call.engine_says(L::ready, {""});
    CHECK(call.has("begin"));
    CHECK(call.has("started"));
  }
}

TEST_CASE("keys reach the engine and the transcript as one turn") {
  TestCall call;
  call.answer();
  for (const char* key : {"1", "2", "#"}) call.leg_says(LegListener::digit, {key});
  CHECK(call.has("text: The caller pressed the keys 12#."));
  call.leg_says(LegListener::digit, {"7"});
  call.advance_ms(2100);
  CHECK(call.has("text: The caller pressed the keys 7."));
  const auto turns = call.environment.run([&] { return call.conversation->transcript().turns(); });
  REQUIRE(turns.size() == 2);
  CHECK(turns[0].text == "[DTMF 12#]");
  CHECK(turns[1].text == "[DTMF 7]");
}

TEST_CASE("the AI says goodbye before a tool ends the call") {
  TestCall call;
  call.answer();
  call.engine_says(L::tool_call, {"t1", "hang_up", "{}"});
  CHECK(call.has("result of t1"));
  CHECK(call.has("farewell"));
  CHECK_FALSE(call.has("completed: finished"));
  call.engine_says(L::farewell_done, {});
  CHECK(call.has("completed: finished"));
}

TEST_CASE("an engine that closes during its goodbye completes the call") {
  TestCall call;
  call.answer();
  call.engine_says(L::tool_call, {"t1", "callback_later", "{}"});
  call.engine_says(L::closed, {true, false, "close 1011"});
  CHECK(call.has("completed: not-now"));
}

TEST_CASE("a goodbye that never ends is cut off") {
  TestCall call;
  call.answer();
  call.engine_says(L::tool_call, {"t1", "hang_up", "{}"});
  call.advance_ms(19'000);
  CHECK_FALSE(call.has("completed: finished"));
  call.advance_ms(2'000);
  CHECK(call.has("completed: finished"));
}

TEST_CASE("an engine that closes without a reason ends its call") {
  for (const bool failed : {false, true}) {
    CAPTURE(failed);
    TestCall call;
    call.answer();
    call.engine_says(L::closed, {failed, false, ""});
    CHECK(call.has("failed: the AI engine closed the session without a reason"));
  }
  TestCall call;
  call.answer();
  call.close("far-hangup");
  call.engine_says(L::closed, {false, false, ""});
  CHECK(call.all().find("failed") == std::string::npos);
}

TEST_CASE("a voicemail is hung up at once, without a goodbye") {
  TestCall call;
  call.answer();
  call.engine_says(L::tool_call, {"t1", "voicemail_detected", "{}"});
  CHECK(call.has("completed: voicemail"));
  CHECK_FALSE(call.has("farewell"));
}

TEST_CASE("the time limit counts from the answer, and the engine is warned 30 s before it") {
  TestCall call(90);
  call.advance_ms(100'000);
  call.answer();
  call.advance_ms(59'000);
  CHECK(call.all().find("30 seconds") == std::string::npos);
  call.advance_ms(2'000);
  CHECK(call.all().find("text: The call ends in 30 seconds.") != std::string::npos);
  CHECK_FALSE(call.has("completed: max-duration"));
  call.advance_ms(30'000);
  CHECK(call.has("completed: max-duration"));
}

TEST_CASE("the reason of an engine's failure is reported without the API key") {
  TestCall call;
  call.engine_says(L::closed, {true, true, "close 1008 " + std::string(kKey) + " is no key"});
  CHECK(call.has("failed: close 1008 *** is no key"));
}

TEST_CASE("more than 1 MiB of text ends a conversation") {
  TestCall call;
  call.answer();
  for (int i = 0; i < 17; ++i) call.engine_says(L::ai_words, {std::string(64 * 1024, 'x'), 0});
  CHECK(call.has("failed: the AI engine sent more than 1 MiB of text"));
}

TEST_CASE("an engine that sends endless turns without text ends its call") {
  TestCall call;
  call.answer();
  const std::string failure = "failed: the AI engine sent more than 1 MiB of text";
  for (int i = 0; i < 200 && !call.has(failure); ++i) call.engine_takes_turns(100);
  CHECK(call.has(failure));
  CHECK(call.environment.run([&] { return call.conversation->transcript().take_closed().empty(); }));
}

TEST_CASE("keys count for the limit of a transcript") {
  constexpr size_t kLimit = 1u << 20;
  TestCall call;
  call.answer();
  const auto room = [&] {
    return call.environment.run([&] { return kLimit - call.conversation->transcript().bytes(); });
  };
  while (room() > 64 * 1024) call.engine_says(L::ai_words, {std::string(64 * 1024, 'x'), 0});
  call.engine_says(L::ai_words, {std::string(room(), 'x'), 0});
  CHECK(call.all().find("failed") == std::string::npos);
  for (const char* key : {"1", "#"}) call.leg_says(LegListener::digit, {key});
  CHECK(call.has("failed: too many keys were pressed"));
}

TEST_CASE("the first audio is measured from the answer, once") {
  TestCall call;
  call.answer();
  call.advance_ms(700);
  call.engine_says(L::ai_audio, {});
  call.advance_ms(300);
  call.engine_says(L::ai_audio, {});
  CHECK(call.has("first audio after 700"));
  CHECK_FALSE(call.has("first audio after 1000"));
}

TEST_CASE("close hangs up and closes the session, and close_bridge closes the audio bridge") {
  TestCall call;
  call.answer();
  REQUIRE(call.joined() == 1);
  call.close("far-hangup");
  CHECK(call.has("hang up: far-hangup"));
  CHECK(call.has("close"));
  CHECK(call.environment.run([&] { return call.conversation->drained(); }));
  bool closed = false;
  call.environment.run([&] { call.conversation->close_bridge([&] { closed = true; }); });
  call.settle();
  CHECK(call.environment.run([&] { return closed; }));
  CHECK(call.joined() == 0);
  call.engine_says(L::tool_call, {"t1", "voicemail_detected", "{}"});
  CHECK_FALSE(call.has("completed: voicemail"));
}

TEST_CASE("an answer without media is a failure") {
  TestCall without;
  without.environment.run([&] { without.conversation->answered({}); });
  CHECK(without.has("failed: the answer carried no usable media"));
}

TEST_CASE("the AI cannot end the call while the target of a transfer rings") {
  TestCall call;
  call.answer();
  call.rings_elsewhere = true;
  call.engine_says(L::tool_call, {"t1", "hang_up", "{}"});
  CHECK(call.has("result of t1"));
  CHECK_FALSE(call.has("farewell"));
  call.rings_elsewhere = false;
  call.engine_says(L::tool_call, {"t2", "hang_up", "{}"});
  CHECK(call.has("farewell"));
}

TEST_CASE("after a transfer keys go to the target, and the engine ends nothing") {
  TestCall call;
  call.answer();
  call.engine_says(L::tool_call, {"t1", "hang_up", "{}"});
  auto& port = call.environment.make<testing::FakePort>(8000);
  call.environment.run([&] { call.conversation->hand_over(port.open(call.environment.host())); });
  call.settle();
  CHECK(call.has("close"));
  CHECK(call.joined() == 1);
  call.leg_says(LegListener::digit, {"5"});
  CHECK(call.has("key for the target: 5"));
  call.engine_says(L::farewell_done, {});
  call.engine_says(L::tool_call, {"t2", "hang_up", "{}"});
  call.advance_ms(25'000);
  CHECK(call.all().find("completed") == std::string::npos);
  CHECK(call.environment.run([&] { return call.conversation->transcript().turns().empty(); }));
}
