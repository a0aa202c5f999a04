// The example voicemail, called by the test.
#include <doctest/doctest.h>
#include <patchbay/testing/fake_audio.h>
#include <patchbay/testing/fake_audit.h>
#include <patchbay/testing/fake_host.h>
#include <patchbay/testing/fake_telephony.h>
#include <patchbay/tone.h>
#include <patchbay/wav_file.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "support/fake_host_options.h"
#include "support/tone.h"

using namespace patchbay;
using testing::FakeCall;
using testing::FakeHost;
using testing::why;

namespace {

constexpr char kBox[] = "+4930123456";
constexpr char kCaller[] = "+4917112345";
constexpr int64_t kGreetingMs = 800;

std::string voicemail_file() {
  const char* elsewhere = std::getenv("PATCHBAY_EXAMPLES");  // those of another compiler
  return std::string(elsewhere != nullptr ? elsewhere : PATCHBAY_EXAMPLES) + "/voicemail.so";
}

struct Office {
  std::string start(const std::string& settings = "{}") {
    return why(host.start(settings, R"({"localhost": {"primary": true, "section": {"numbers": [")" +
                                        std::string(kBox) + R"("]}}})"));
  }
  void advance(int64_t ms) { CHECK(why(host.advance_ms(ms)) == ""); }
  Json messages() { return *host.host().parse_json(host.get("/api.ashx/v1/voicemails").body); }
  std::string audio_path(int64_t id) { return "/api.ashx/v1/voicemails/" + std::to_string(id) + "/audio"; }
  void end() {
    CHECK(why(host.stop()) == "");
    CHECK(host.problem_text() == "");
  }

  FakeHost host{voicemail_file(), test::on_test_store()};
  testing::FakeAudio audio{host};
  testing::FakeAudit audit{host};
  testing::FakeTelephony telephony{host};
};

}  // namespace

TEST_CASE("voicemail answers, plays its greeting, records until #, and offers the message over REST") {
  Office office;
  REQUIRE(office.start() == "");
  CHECK(office.telephony.call_in("+4930999", kCaller).refused_with() == 480);

  const FakeCall call = office.telephony.call_in(kBox, kCaller);
  REQUIRE(call.is_answered());
  office.advance(kGreetingMs + 100);
  const auto heard = call.heard();
  CHECK(support::snr_db(heard.data() + 8 * 400, 8 * 350, 1000, 8000) > 30);  // the beep
  call.say(make_tone({700, 0, -12, 0, 0}, 8000, 2000));
  office.advance(2500);
  call.press("#");
  CHECK(call.hangup_reason() == "the message is recorded");

  const Json list = office.messages();
  REQUIRE(list["total"].integer() == 1);
  const JsonView message = list["data"].at(0);
  CHECK(message.text("did", "") == kBox);
  CHECK(message.text("fromNumber", "") == kCaller);
  CHECK(message.text("callId", "") == call.offer().call_id);
  CHECK(message.integer("durationMs", 0) == doctest::Approx(2500).epsilon(0.05));
  const auto events = office.host.events("voicemail.received");
  REQUIRE(events.size() == 1);
  CHECK(events[0].durable());
  CHECK(events[0].subject == call.offer().call_id);

  const int64_t id = message.integer("id", 0);
  const auto answer = office.host.get(office.audio_path(id));
  CHECK(answer.content_type == "audio/wav");
  const auto wav = parse_wav(answer.bytes.view());
  REQUIRE(wav.ok());
  CHECK(wav->rate_hz == 8000);
  CHECK(wav->duration_ms() == message.integer("durationMs", 0));
  CHECK(support::snr_db(wav->samples.data() + 8000, 4000, 700, 8000) > 30);

  testing::Ask seek{"GET", office.audio_path(id)};  // as a player does
  seek.headers = {{"range", "bytes=-4"}};
  const auto part = office.host.ask(seek);
  CHECK(part.status == 206);
  CHECK(part.bytes.view() == answer.bytes.view().substr(answer.bytes.size() - 4));
  const std::string size = std::to_string(answer.bytes.size());
  CHECK(part.headers.text("Content-Range").find("/" + size) != std::string::npos);
  seek.headers = {{"range", "bytes=" + size + "-"}};
  CHECK(office.host.ask(seek).status == 416);

  testing::Ask stranger{"GET", office.audio_path(id)};
  stranger.tenant = "other.example";
  CHECK(office.host.ask(stranger).status == 404);
  CHECK(office.host.ask({"DELETE", "/api.ashx/v1/voicemails/" + std::to_string(id)}).status == 200);
  CHECK(office.audit.text() == "voicemail.deleted " + std::to_string(id) + " - -\n");
  CHECK(office.host.get(office.audio_path(id)).status == 404);
  CHECK(office.host.ask({"DELETE", "/api.ashx/v1/voicemails/" + std::to_string(id)}).status == 404);
  office.end();
}

TEST_CASE("a message ends with the call or at its longest, and what is too short is none") {
  Office office;
  REQUIRE(office.start(R"({"maxSec": 5})") == "");
  const FakeCall left = office.telephony.call_in(kBox, kCaller);
  office.advance(kGreetingMs + 1500);
  left.hang_up();
  const FakeCall long_one = office.telephony.call_in(kBox, "");
  office.advance(kGreetingMs + 100);
  long_one.press("1");
  office.advance(5500);
  CHECK(long_one.ended());
  const FakeCall short_one = office.telephony.call_in(kBox, kCaller);
  office.advance(kGreetingMs + 500);
  short_one.hang_up();
  const FakeCall early = office.telephony.call_in(kBox, kCaller);
  early.hang_up();

  const Json list = office.messages();
  REQUIRE(list["total"].integer() == 2);
  CHECK(list["data"].at(0).integer("durationMs", 0) == 5000);
  CHECK(list["data"].at(1).integer("durationMs", 0) == doctest::Approx(1500).epsilon(0.1));
  office.end();
}

TEST_CASE("# ends the greeting, and old messages are removed") {
  Office office;
  REQUIRE(office.start(R"({"keepDays": 1})") == "");
  const FakeCall call = office.telephony.call_in(kBox, kCaller);
  office.advance(100);
  call.press("#");
  office.advance(2000);
  call.press("#");
  CHECK(office.messages()["data"].at(0).integer("durationMs", 0) == doctest::Approx(2000).epsilon(0.05));
  office.advance(23 * 3'600'000);
  CHECK(office.messages()["total"].integer() == 1);
  office.advance(2 * 3'600'000);
  CHECK(office.messages()["total"].integer() == 0);
  office.end();
}

TEST_CASE("the greeting is a WAV file at any rate, and one that cannot be read is reported") {
  const testing::TestEnvironment folder;
  const std::string file = folder.host().data_folder() + "/hello.wav";
  std::ofstream(file, std::ios::binary) << wav_bytes({44100, 1, make_tone({600, 0, -12, 0, 0}, 44100, 1000)});
  {
    Office office;
    REQUIRE(office.start(R"({"greeting": ")" + file + "\"}") == "");
    const FakeCall call = office.telephony.call_in(kBox, kCaller);
    office.advance(1000);
    const auto heard = call.heard();
    REQUIRE(heard.size() > 7000);
    CHECK(support::snr_db(heard.data() + 2000, 4000, 600, 8000) > 30);
    office.end();
  }
  Office office;
  CHECK(office.start(R"({"greeting": "/nowhere.wav"})") == "/nowhere.wav cannot be read");
}

TEST_CASE("calls are hung up when the plugin stops, and what was recorded is stored") {
  Office office;
  REQUIRE(office.start() == "");
  const FakeCall call = office.telephony.call_in(kBox, kCaller);
  office.advance(kGreetingMs + 2000);
  office.end();
  CHECK(call.is_abandoned());
  CHECK(office.host.sql("SELECT COUNT(*) FROM voicemail_message")->integer(0, 0) == 1);
}
