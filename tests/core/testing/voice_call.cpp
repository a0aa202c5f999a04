// VoiceCall in calls that the test dials or takes.
#include <doctest/doctest.h>
#include <patchbay/services/answerer.h>
#include <patchbay/services/voice_call.h>
#include <patchbay/testing/fake_audio.h>
#include <patchbay/testing/fake_telephony.h>
#include <patchbay/wav_file.h>

#include <fstream>
#include <memory>
#include <string>

using namespace patchbay;
using telephony::VoiceCall;
using testing::FakeCall;
using testing::TestEnvironment;
using testing::why;

namespace {

struct Caller {
  explicit Caller(bool has_audio = true) {
    if (has_audio) audio = std::make_unique<testing::FakeAudio>(host);
    host.run([this] {
      call = std::make_shared<VoiceCall>(host.host(), 8000);
      call->on_ready([this] { log += "ready "; });
      call->on_digit([this](char key) { log += key; });
      call->on_ended([this](const telephony::Ended& how) {
        log += " ended:" + how.cause;
        call.reset();
      });
    });
  }
  ~Caller() {
    host.run([this] { call.reset(); });
    CHECK(host.problem_text() == "");
  }
  void dial() {
    telephony::Dial request;
    request.number = "+49301";
    request.listener = host.run([this] { return call->listener(); });
    const auto dialled = host.call<telephony::Telephony>(telephony::Telephony::dial, request);
    REQUIRE(dialled.ok());
    host.run([&] { call->dialled(dialled->leg); });
  }

  TestEnvironment host;
  std::unique_ptr<testing::FakeAudio> audio;
  testing::FakeTelephony telephony{host};
  std::string log;
  std::shared_ptr<VoiceCall> call;
};

}  // namespace

TEST_CASE("a dialled call is spoken in, and the recording that runs at its end is reported before it") {
  Caller caller;
  caller.dial();
  const FakeCall far = caller.telephony.last_dialled();
  far.ring();
  far.answer();
  CHECK(caller.log == "ready ");
  caller.host.run([&] {
    caller.call->player().play(Samples(800, 3));
    caller.call->recorder().start(
        60'000, [&](const Wav& wav) { caller.log += " recorded:" + std::to_string(wav.duration_ms()); });
  });
  CHECK(why(caller.host.advance_ms(200)) == "");
  far.press("5");
  far.hang_up();
  CHECK(caller.log == "ready 5 recorded:200 ended:far");
  CHECK(far.heard().size() == 1600);
  CHECK(caller.audio->joined() == 0);
}

TEST_CASE("a call is hung up, closed, or never answered, and its end is reported once") {
  {
    Caller caller;
    caller.dial();
    caller.telephony.last_dialled().answer();
    caller.host.run([&] { caller.call->hangup("enough"); });
    CHECK(caller.telephony.last_dialled().hangup_reason() == "enough");
    CHECK(caller.log == "ready  ended:local");
  }
  {
    Caller caller;
    caller.dial();
    caller.telephony.last_dialled().answer();
    caller.host.run([&] { caller.call->close(); });
    CHECK(caller.telephony.last_dialled().is_abandoned());
    CHECK(why(caller.host.settle()) == "");
    CHECK(caller.log == "ready  ended:local");
  }
  Caller caller;
  caller.dial();
  caller.telephony.last_dialled().decline();
  CHECK(caller.log == " ended:no-answer");
}

TEST_CASE("a call that cannot be connected is hung up") {
  Caller caller(false);
  caller.dial();
  caller.telephony.last_dialled().answer();
  CHECK(caller.telephony.last_dialled().hangup_reason() == "the call could not be connected");
  CHECK(caller.log == " ended:local");
}

TEST_CASE("a WAV file is loaded on a worker at the wanted rate") {
  TestEnvironment host;
  const std::string folder = host.host().data_folder() + "/";
  std::ofstream(folder + "a.wav", std::ios::binary) << wav_bytes({16000, 2, Samples(32000, 5)});
  std::ofstream(folder + "b.wav", std::ios::binary) << "RIFF";
  Result<Samples> loaded(Code::failed, "");
  const auto load = [&](const std::string& name) {
    host.run([&] {
      load_wav(host.host(), folder + name, 8000,
               [&](Result<Samples> samples) { loaded = std::move(samples); });
    });
    CHECK(why(host.settle()) == "");
  };
  load("a.wav");
  REQUIRE(loaded.ok());
  CHECK(loaded->size() == 8000);
  load("b.wav");
  CHECK(why(loaded) == folder + "b.wav" + ": it is not a WAV file");
  load("c.wav");
  CHECK(loaded.error().code == Code::not_found);
  CHECK(read_wav_file(folder + "a.wav", 31999).error().code == Code::exhausted);
}
