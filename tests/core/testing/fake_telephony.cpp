// FakeTelephony with a plugin's parts that answer, dial and gate, which are the test's own here.
#include <doctest/doctest.h>
#include <patchbay/services/answerer.h>
#include <patchbay/services/dial_gate.h>
#include <patchbay/testing/fake_audio.h>
#include <patchbay/testing/fake_telephony.h>
#include <patchbay/voice_port.h>

#include <memory>
#include <optional>
#include <string>

using namespace patchbay;
using telephony::Leg;
using telephony::LegListener;
using testing::FakeCall;
using testing::FakeTelephony;
using testing::TestEnvironment;
using testing::why;

namespace {

// The owner of a call, which notes its events.
struct CallOwner {
  explicit CallOwner(const Host& host) : listener(std::in_place, host) {
    listener
        ->on(LegListener::progress,
             [this](const telephony::Progress& what) -> Result<Empty> {
               log += "progress " + std::to_string(what.sip_status) + "\n";
               return Empty{};
             })
        .on(LegListener::answered,
            [this](const telephony::Answered& what) -> Result<Empty> {
              log += "answered\n";
              port = what.port;
              return Empty{};
            })
        .on(LegListener::digit,
            [this](const telephony::Digit& what) -> Result<Empty> {
              log += "digit " + what.digit + "\n";
              return Empty{};
            })
        .on(LegListener::ended, [this](const telephony::Ended& what) -> Result<Empty> {
          log += "ended " + what.cause + " " + std::to_string(what.sip_status) +
                 (what.answered ? " answered" : "") + "\n";
          return Empty{};
        });
  }
  std::optional<Provision<LegListener>> listener;
  std::string log;
  Handle port;
};

struct Lab {
  template <class M>
  std::string ask(Handle leg, M method, typename M::Request request) const {
    return why(host.call<Leg>(leg, method, std::move(request)));
  }
  void drop_listener() {
    host.run([this] { owner.listener.reset(); });
    CHECK(why(host.settle()) == "");
  }
  Handle listener() {
    return host.run([this] { return owner.listener->handle(); });
  }
  telephony::Dial dial(const std::string& number) {
    telephony::Dial request;
    request.call_id = "oac-1";
    request.tenant = "localhost";
    request.number = number;
    request.listener = listener();
    return request;
  }

  TestEnvironment host;
  FakeTelephony telephony{host};
  CallOwner& owner = host.make<CallOwner>(host.host());
};

}  // namespace

TEST_CASE("an inbound call is offered, rung, answered, held, and hung up by the far end") {
  Lab lab;
  lab.host.make<telephony::AnswererRegistration>(
      lab.host.host(), "box", 0, [&](const telephony::Offer& offer) -> Result<telephony::Taken> {
        if (offer.did != "+49301") return telephony::Taken{};
        return telephony::Taken{lab.owner.listener->handle(), 0, ""};
      });
  CHECK(lab.telephony.answerers() == std::vector<std::string>{"box"});
  const FakeCall other = lab.telephony.call_in("+49302", "+49171");
  CHECK(other.refused_with() == 480);
  CHECK(other.ended()->cause == "no-answer");

  const FakeCall call = lab.telephony.call_in("+49301", "+49171");
  REQUIRE(call.is_taken());
  CHECK(call.offer().call_id == "sip-000000000002");
  const Handle leg = call.offer().leg;
  CHECK(lab.ask(leg, Leg::hold, {true}) == "the call is not answered");
  CHECK(lab.ask(leg, Leg::ring, {true}) == "");
  CHECK(call.rings().size() == 1);
  CHECK(lab.ask(leg, Leg::answer, {}) == "");
  CHECK(call.is_answered());
  CHECK(lab.ask(leg, Leg::answer, {}) == "the call is answered or over");
  CHECK(lab.ask(leg, Leg::hold, {true}) == "");
  CHECK(call.is_held());
  CHECK(lab.ask(leg, Leg::send_digits, {"12#"}) == "");
  CHECK(call.sent_digits() == "12#");
  CHECK(lab.ask(leg, Leg::transfer, {"+49303", {}, 1000}) == "the far end does not transfer calls");
  call.on_transfer({true, 200, ""});
  CHECK(lab.ask(leg, Leg::transfer, {"+49304", {}, 1000}) == "");
  REQUIRE(call.transfers().size() == 2);
  CHECK(call.transfers()[1].number == "+49304");
  call.press("9*");
  call.hang_up();
  CHECK(lab.owner.log == "progress 183\nanswered\ndigit 9\ndigit *\nended far 0 answered\n");
  CHECK(lab.ask(leg, Leg::hangup, {""}) != "");
  call.hang_up();
  CHECK(lab.owner.log.find("ended") == lab.owner.log.rfind("ended"));
  CHECK(lab.host.problem_text() == "");
}

TEST_CASE("answerers are asked in their order, and an answerer without a reply is passed over after 5 s") {
  Lab lab;
  std::string asked;
  auto& kept = lab.host.make<std::vector<Reply<telephony::Taken>>>();
  lab.host.make<telephony::AnswererRegistration>(lab.host.host(), "low", 1,
                                                 [&](const telephony::Offer&) -> Result<telephony::Taken> {
                                                   asked += "low ";
                                                   return telephony::Taken{{}, 486, "busy"};
                                                 });
  lab.host.make<telephony::AnswererRegistration>(lab.host.host(), "high", 9,
                                                 [&](const telephony::Offer&, Reply<telephony::Taken> reply) {
                                                   asked += "high ";
                                                   kept.push_back(std::move(reply));
                                                 });
  const FakeCall call = lab.telephony.call_in("+49301", "");
  CHECK(asked == "high ");
  CHECK_FALSE(call.ended());
  CHECK(why(lab.host.advance_ms(5000)) == "");
  CHECK(asked == "high low ");
  CHECK(call.refused_with() == 486);
  CHECK(call.refused_reason() == "busy");
  CHECK(lab.host.problem_text() == "");
}

TEST_CASE("a plugin refuses a call with a status, and hangs one up") {
  Lab lab;
  lab.host.make<telephony::AnswererRegistration>(
      lab.host.host(), "box", 0, [&](const telephony::Offer&) -> Result<telephony::Taken> {
        return telephony::Taken{lab.owner.listener->handle(), 0, ""};
      });
  const FakeCall first = lab.telephony.call_in("+49301", "+49171");
  CHECK(lab.ask(first.offer().leg, Leg::reject, {200, ""}) == "sip_status must be 400 to 699");
  CHECK(lab.ask(first.offer().leg, Leg::reject, {603, "no"}) == "");
  CHECK(first.refused_with() == 603);
  CHECK(first.refused_reason() == "no");
  const FakeCall second = lab.telephony.call_in("+49301", "+49171");
  CHECK(lab.ask(second.offer().leg, Leg::hangup, {"enough"}) == "");
  CHECK(second.hangup_reason() == "enough");
  CHECK(lab.owner.log == "ended local 603\nended local 0\n");
}

TEST_CASE("a dialled call rings, is answered, refused, rings out or is denied by a gate") {
  Lab lab;
  const auto dial = [&](const std::string& number) {
    lab.owner.log.clear();
    const std::string error =
        why(lab.host.call<telephony::Telephony>(telephony::Telephony::dial, lab.dial(number)));
    CHECK(why(lab.host.settle()) == "");
    return error;
  };
  CHECK_FALSE(lab.telephony.last_dialled());
  REQUIRE(dial("+49301") == "");
  FakeCall call = lab.telephony.last_dialled();
  REQUIRE(call);
  CHECK(call.dial().number == "+49301");
  call.ring();
  call.answer();
  call.press("5");
  call.fail("the network is gone");
  CHECK(lab.owner.log == "progress 180\nanswered\ndigit 5\nended failed 0 answered\n");

  REQUIRE(dial("+49302") == "");
  lab.telephony.last_dialled().decline(486);
  CHECK(lab.owner.log == "ended no-answer 486\n");

  REQUIRE(dial("+49303") == "");
  CHECK(why(lab.host.advance_ms(60'000)) == "");
  CHECK(lab.owner.log == "ended no-answer 480\n");

  lab.telephony.refuse_dials(Code::not_found, "no trunk");
  CHECK(dial("+49304") == "no trunk");
  lab.telephony.refuse_dials(Code::ok);

  lab.host.make<telephony::DialGateRegistration>(
      lab.host.host(), "list", [](const telephony::Check& check) -> Result<telephony::Verdict> {
        return telephony::Verdict{check.number != "+49305", "not on the list"};
      });
  REQUIRE(dial("+49305") == "");
  CHECK(lab.owner.log == "ended denied 0\n");
  CHECK(lab.telephony.last_dialled().ended()->detail == "not on the list");
  CHECK_FALSE(lab.telephony.ask_gates({"localhost", "+49305", "", ""}).allowed);
  CHECK(lab.telephony.ask_gates({"localhost", "+49306", "", ""}).allowed);
  CHECK(lab.telephony.dialled().size() == 4);
  CHECK(lab.host.problem_text() == "");
}

TEST_CASE("a call whose listener is gone is hung up") {
  Lab lab;
  REQUIRE(lab.host.call<telephony::Telephony>(telephony::Telephony::dial, lab.dial("+49301")).ok());
  const FakeCall call = lab.telephony.last_dialled();
  call.answer();
  CHECK_FALSE(call.ended());
  lab.drop_listener();
  CHECK(call.is_abandoned());
  CHECK(call.ended()->cause == "local");
}

TEST_CASE("the audio of a call goes both ways while its port is joined") {
  Lab lab;
  testing::FakeAudio audio(lab.host);
  auto& voice = lab.host.make<VoicePort>(lab.host.host(), 8000);
  REQUIRE(lab.host.call<telephony::Telephony>(telephony::Telephony::dial, lab.dial("+49301")).ok());
  const FakeCall call = lab.telephony.last_dialled();
  call.answer();
  REQUIRE(lab.owner.port);
  REQUIRE(lab.host.call<audio::Audio>(audio::Audio::join, {lab.owner.port, voice.open(lab.host.host()), ""})
              .ok());
  call.say(testing::Pcm(1600, 5));
  Samples recorded;
  lab.host.run([&] {
    voice.player().play(Samples(1600, 7));
    voice.recorder().start(200, [&](Wav wav) { recorded = std::move(wav.samples); });
  });
  CHECK(why(lab.host.advance_ms(400)) == "");
  CHECK(recorded == Samples(1600, 5));
  const auto heard = call.heard();
  CHECK(std::count(heard.begin(), heard.end(), 7) == 1600);
}
