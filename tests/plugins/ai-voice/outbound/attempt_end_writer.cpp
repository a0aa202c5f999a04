// The plugin with a telephony, an engine and a transcripts plugin that the test simulates: how the ends of
// its calls are stored.
#include "outbound/attempt_end_writer.h"

#include <doctest/doctest.h>
#include <patchbay/services/telephony.h>
#include <patchbay/services/voice_engine.h>
#include <patchbay/testing/fake_audio.h>
#include <patchbay/testing/fake_host.h>

#include <memory>
#include <string>
#include <vector>

#include "support/fake_host_options.h"

using namespace patchbay;
using telephony::LegListener;
using telephony::Telephony;
using testing::why;
using transcripts::Transcripts;

namespace {

// A server with the plugin. The objects of the test that it calls live on the test's strand.
class CallHost {
 public:
  CallHost()
      : host(AI_VOICE_PLUGIN, test::on_test_store()),
        audio_(host),
        leg_port_(host.make<testing::FakePort>(8000)),
        engine_port_(host.make<testing::FakePort>(16000)) {
    REQUIRE(why(host.provide<Telephony>([this](Provision<Telephony>& telephony) { answer_as(telephony); })) ==
            "");
  }
  ~CallHost() {
    static_cast<void>(host.stop());
    host.run([this] {
      engine_.reset();
      transcripts_.reset();
      leg_.reset();
      session_.reset();
    });
  }

  // Starts the plugin, and a call that is answered and talks.
  void talk() {
    REQUIRE(why(host.start()) == "");
    host.run([this] { open_engine(); });
    const http::Response created = host.post(
        "/api.ashx/v1/calls",
        R"({"phone":"+4930123456","email":"ops@example.com","model":"test-1","systemPrompt":"Be brief."})");
    INFO(created.body);
    REQUIRE(created.status == 200);
    REQUIRE(eventually([this] { return host.run([this] { return dial_.listener && open_.listener; }); }));
    const Handle port = host.run([this] { return leg_port_.open(host.host()); });
    CHECK(host.call<LegListener>(dial_.listener, LegListener::answered, {"main", 5, port}).ok());
    REQUIRE(eventually([this] { return column("status") == "in-flight"; }));
    CHECK(host.call<engine::Listener>(open_.listener, engine::Listener::ai_words, {"Hello.", 1}).ok());
  }
  void hang_up() {
    telephony::Ended ended;
    ended.cause = "far";
    ended.answered = true;
    CHECK(host.call<LegListener>(dial_.listener, LegListener::ended, ended).ok());
    REQUIRE(why(host.settle()) == "");
  }

  // A transcripts plugin starts. `fails`: it adds an operation that fails to each transaction.
  void start_transcripts(bool fails = false) {
    host.run([&] {
      transcripts_ = std::make_unique<Provision<Transcripts>>(host.host());
      transcripts_->on(Transcripts::save,
                       [this, fails](const transcripts::Save& save) -> Result<transcripts::Saved> {
                         saved_.push_back(save.document);
                         if (fails)
                           Transaction::borrow(host.host(), save.tx).emit({"no topic", "", "", "", "{}"});
                         return transcripts::Saved{"file"};
                       });
      transcripts_->on(Transcripts::mail, [this](const transcripts::Mail& mail) -> Result<Empty> {
        mails_.push_back(mail);
        return Empty{};
      });
      CHECK(why(transcripts_->publish()) == "");
    });
  }
  void stop_transcripts() {
    host.run([this] { transcripts_.reset(); });
  }

  // A column of the only call.
  std::string column(const std::string& name) {
    const auto rows = host.sql("SELECT " + name + " FROM ai_voice_call");
    return rows && !rows->empty() ? rows->text(0, 0) : std::string();
  }
  bool ends_within_ms(int64_t ms) {
    for (int64_t passed = 0; passed <= ms; passed += 500) {
      if (column("status") == "ended-success") return true;
      REQUIRE(why(host.advance_ms(500)) == "");
    }
    return false;
  }
  std::vector<std::string> saved() {
    return host.run([this] { return saved_; });
  }
  // Waits at most a minute for the first.
  std::vector<transcripts::Mail> mails() {
    for (int seconds = 0; seconds < 60 && host.run([this] { return mails_.empty(); }); ++seconds)
      REQUIRE(why(host.advance_ms(1000)) == "");
    return host.run([this] { return mails_; });
  }
  double lost() { return host.metric("patchbay_ai_voice_transcripts_lost_total"); }
  double ended() {
    return host.metric(R"(patchbay_ai_voice_outcomes_total{outcome="far-hangup",status="ended-success"})");
  }

  testing::FakeHost host;

 private:
  template <class F>
  bool eventually(F condition) {
    for (int i = 0; i < 200; ++i) {
      if (condition()) return true;
      REQUIRE(why(host.advance_ms(20)) == "");
    }
    return false;
  }

  void answer_as(Provision<Telephony>& telephony) {
    telephony
        .on(Telephony::dial,
            [this](const telephony::Dial& dial) -> Result<telephony::Dialled> {
              dial_ = dial;
              leg_ = std::make_unique<Provision<telephony::Leg>>(host.host());
              leg_->on(telephony::Leg::hangup,
                       [](const telephony::Hangup&) -> Result<Empty> { return Empty{}; });
              return telephony::Dialled{leg_->handle()};
            })
        .on(Telephony::add_gate, [](const telephony::AddGate&) -> Result<Empty> { return Empty{}; })
        .on(Telephony::status, [](const telephony::StatusOf&) -> Result<telephony::TelephonyStatus> {
          return telephony::TelephonyStatus{true, true, ""};
        });
  }
  void open_engine() {
    engine_ = std::make_unique<engine::VoiceEngine>(
        host.host(), "test", "test-", [this](const engine::Open& open) -> Result<engine::Opened> {
          open_ = open;
          session_ = std::make_unique<Provision<engine::Session>>(host.host());
          return engine::Opened{session_->handle(), engine_port_.open(host.host())};
        });
  }

  testing::FakeAudio audio_;
  testing::FakePort& leg_port_;
  testing::FakePort& engine_port_;
  std::unique_ptr<engine::VoiceEngine> engine_;
  std::unique_ptr<Provision<Transcripts>> transcripts_;
  std::unique_ptr<Provision<telephony::Leg>> leg_;
  std::unique_ptr<Provision<engine::Session>> session_;
  telephony::Dial dial_;
  engine::Open open_;
  std::vector<std::string> saved_;
  std::vector<transcripts::Mail> mails_;
};

}  // namespace

TEST_CASE("a transcript is saved after transcripts has restarted during the call") {
  for (const bool back_before_end : {true, false}) {
    CAPTURE(back_before_end);
    CallHost call;
    call.start_transcripts();
    call.talk();
    call.stop_transcripts();
    if (back_before_end) call.start_transcripts();
    call.hang_up();
    if (!back_before_end) {
      CHECK_FALSE(call.ends_within_ms(10'000));
      call.start_transcripts();
    }
    CHECK(call.ends_within_ms(5'000));
    const auto saved = call.saved();
    REQUIRE(saved.size() == 1);
    CHECK(saved[0].find("Hello.") != std::string::npos);
    CHECK(call.column("transcript_path") != "");
    CHECK(call.lost() == 0);
    CHECK(call.ended() == 1);
  }
}

TEST_CASE("a transcript that transcripts does not save within 30 s is counted as lost") {
  CallHost call;
  call.start_transcripts();
  call.talk();
  call.stop_transcripts();
  call.hang_up();
  CHECK(call.ends_within_ms(40'000));
  CHECK(call.column("transcript_path") == "");
  CHECK(call.lost() == 1);
  CHECK(call.ended() == 1);
}

TEST_CASE("a server without transcripts ends its calls at once and loses none") {
  CallHost call;
  call.talk();
  call.hang_up();
  CHECK(call.ends_within_ms(0));
  CHECK(call.lost() == 0);
}

TEST_CASE("an operation of transcripts that fails does not keep the call from ending") {
  CallHost call;
  call.start_transcripts(true);
  call.talk();
  call.hang_up();
  CHECK(call.ends_within_ms(5'000));
  CHECK(call.saved().size() == 1);
  CHECK(call.column("transcript_path") == "");
  CHECK(call.lost() == 1);
  CHECK(call.ended() == 1);
  CHECK(call.host.events("outbound-ai.finished").size() == 1);
}

TEST_CASE("a call that ended for good is handed over for its mail, once, also when transcripts was away") {
  for (const bool is_away : {false, true}) {
    CAPTURE(is_away);
    CallHost call;
    call.start_transcripts();
    call.talk();
    if (is_away) call.stop_transcripts();
    call.hang_up();
    if (is_away) {
      REQUIRE(why(call.host.advance_ms(5'000)) == "");
      CHECK(call.column("status") == "in-flight");  // waits for the transcript, too
      call.start_transcripts();
    }
    CHECK(call.ends_within_ms(5'000));
    const auto mails = call.mails();
    REQUIRE(mails.size() == 1);
    CHECK(mails[0].to == "ops@example.com");
    CHECK(mails[0].phone == "+4930123456");
    CHECK(mails[0].outcome == "far-hangup");
    CHECK(mails[0].attempts == 1);
    CHECK(mails[0].file == call.column("transcript_path"));
    REQUIRE(why(call.host.advance_ms(120'000)) == "");
    CHECK(call.mails().size() == 1);
  }
}
