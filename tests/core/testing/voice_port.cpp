// Player, Recorder and VoicePort, pulled and pushed by the test.
#include <doctest/doctest.h>
#include <patchbay/testing/fake_audio.h>
#include <patchbay/testing/test_environment.h>
#include <patchbay/tone.h>
#include <patchbay/voice_port.h>

#include <algorithm>
#include <memory>

using namespace patchbay;
using testing::OpenPort;
using testing::Pcm;
using testing::TestEnvironment;
using testing::why;

namespace {

// A VoicePort on the test's strand, which is closed before it is destroyed.
struct Phone {
  explicit Phone(uint32_t rate_hz = 8000)
      : port(host.make<VoicePort>(host.host(), rate_hz)), handle(port.open(host.host())) {}
  ~Phone() {
    port.close([this] { closed = true; });
    CHECK(why(host.settle()) == "");
    CHECK(closed);
    CHECK(host.problem_text() == "");
  }
  template <class F>
  auto run(F f) {
    return host.run(std::move(f));
  }

  TestEnvironment host;
  VoicePort& port;
  Handle handle;
  bool closed = false;
};

bool is_silent(const Pcm& pcm) {
  return std::all_of(pcm.begin(), pcm.end(), [](int16_t sample) { return sample == 0; });
}

}  // namespace

TEST_CASE("a player plays its samples once, then silence, and says when they were taken") {
  Phone phone;
  OpenPort other(phone.host, phone.handle);
  int done = 0;
  CHECK(is_silent(other.pull()));
  phone.run([&] { phone.port.player().play(Pcm(200, 7), [&] { ++done; }); });
  CHECK(phone.run([&] { return phone.port.player().playing(); }));
  CHECK(other.pull() == Pcm(160, 7));
  CHECK(why(phone.host.settle()) == "");
  CHECK(done == 0);
  const Pcm rest = other.pull();
  CHECK(std::count(rest.begin(), rest.end(), 7) == 40);
  CHECK(rest[40] == 0);
  CHECK(why(phone.host.settle()) == "");
  CHECK(done == 1);
  CHECK(is_silent(other.pull()));
  CHECK_FALSE(phone.run([&] { return phone.port.player().playing(); }));
}

TEST_CASE("what is played may be stopped and replaced at any moment, and its end is not reported") {
  Phone phone;
  OpenPort other(phone.host, phone.handle);
  int first = 0, second = 0;
  phone.run([&] { phone.port.player().play(Pcm(160 * 3, 1), [&] { ++first; }); });
  CHECK(other.pull() == Pcm(160, 1));
  phone.run([&] { phone.port.player().play(Pcm(160, 2), [&] { ++second; }); });
  CHECK(other.pull() == Pcm(160, 2));
  CHECK(why(phone.host.settle()) == "");
  CHECK(first == 0);
  CHECK(second == 1);
  phone.run([&] {
    phone.port.player().play(Pcm(160, 3), [&] { ++first; });
    phone.port.player().stop();
  });
  CHECK(is_silent(other.pull()));
  // The end of the first is on its way to the strand when it is replaced.
  phone.run([&] { phone.port.player().play(Pcm(160, 4), [&] { ++first; }); });
  phone.run([&] {
    auto* player = &phone.port.player();
    int16_t pcm[160];
    pb_frame frame{};
    frame.size = sizeof frame;
    frame.capacity = 160;
    frame.pcm = pcm;
    player->pull(frame);
    player->play(Pcm(160, 5), [&] { ++second; });
  });
  CHECK(why(phone.host.settle()) == "");
  CHECK(first == 0);
  CHECK(second == 1);
  CHECK(other.pull() == Pcm(160, 5));
  CHECK(why(phone.host.settle()) == "");
  CHECK(second == 2);
}

TEST_CASE("music is repeated until it is stopped, and an empty sound ends with the next frame") {
  Phone phone;
  OpenPort other(phone.host, phone.handle);
  phone.run([&] { phone.port.player().repeat(Pcm{1, 2, 3}); });
  for (int i = 0; i < 3; ++i) {
    const Pcm frame = other.pull();
    for (size_t n = 0; n < frame.size(); ++n) CHECK(frame[n] == static_cast<int16_t>((i * 160 + n) % 3 + 1));
  }
  int done = 0;
  phone.run([&] { phone.port.player().play({}, [&] { ++done; }); });
  CHECK(is_silent(other.pull()));
  CHECK(why(phone.host.settle()) == "");
  CHECK(done == 1);
  phone.run([&] { phone.port.player().repeat({}); });
  CHECK(is_silent(other.pull()));
}

TEST_CASE("a recorder has what was pushed, with its silence, and no more than its time") {
  Phone phone;
  OpenPort other(phone.host, phone.handle);
  Wav recorded;
  int done = 0;
  const auto keep = [&](Wav wav) {
    recorded = std::move(wav);
    ++done;
  };
  other.push(Pcm(160, 9));  // before it records
  phone.run([&] { phone.port.recorder().start(1000, keep); });
  other.push(Pcm(160, 1));
  other.push_silence();
  phone.run([&] { phone.port.recorder().stop(); });
  CHECK(done == 1);
  CHECK(recorded.rate_hz == 8000);
  CHECK(recorded.channels == 1);
  REQUIRE(recorded.samples.size() == 320);
  CHECK(recorded.samples[159] == 1);
  CHECK(recorded.samples[160] == 0);
  other.push(Pcm(160, 9));

  phone.run([&] { phone.port.recorder().start(1000, keep); });
  for (int i = 0; i < 70; ++i) {
    other.push(Pcm(160, static_cast<int16_t>(i)));
    if (i % 10 == 9) CHECK(why(phone.host.settle()) == "");
  }
  CHECK(done == 2);
  REQUIRE(recorded.samples.size() == 8000);
  CHECK(recorded.samples[0] == 0);
  CHECK(recorded.samples.back() == 49);
  phone.run([&] { phone.port.recorder().stop(); });
  CHECK(done == 2);
  CHECK(phone.port.recorder().dropped() == 0);
}

TEST_CASE("a recording that is cancelled or begun anew is not reported") {
  Phone phone;
  OpenPort other(phone.host, phone.handle);
  int first = 0;
  size_t second = 0;
  phone.run([&] { phone.port.recorder().start(1000, [&](const Wav&) { ++first; }); });
  other.push(Pcm(160, 1));
  phone.run([&] { phone.port.recorder().start(1000, [&](const Wav& wav) { second = wav.samples.size(); }); });
  other.push(Pcm(160, 1));
  phone.run([&] { phone.port.recorder().stop(); });
  CHECK(second == 160);
  phone.run([&] { phone.port.recorder().start(1000, [&](const Wav&) { ++first; }); });
  phone.run([&] { phone.port.recorder().cancel(); });
  CHECK_FALSE(phone.port.recorder().recording());
  CHECK(first == 0);
}

TEST_CASE("two joined voice ports: one plays a tone, the other records it") {
  TestEnvironment host;
  testing::FakeAudio audio(host);
  auto& a = host.make<VoicePort>(host.host());
  auto& b = host.make<VoicePort>(host.host());
  const auto joined =
      host.call<audio::Audio>(audio::Audio::join, {a.open(host.host()), b.open(host.host()), ""});
  REQUIRE(joined.ok());
  bool played = false;
  Samples recorded;
  host.run([&] {
    a.player().play(make_tone(tones::beep(), 16000, 500), [&] { played = true; });
    b.recorder().start(400, [&](Wav wav) { recorded = std::move(wav.samples); });
  });
  CHECK(why(host.advance_ms(1000)) == "");
  CHECK(played);
  CHECK(recorded.size() == 16000 * 4 / 10);
  const Samples sent = make_tone(tones::beep(), 16000, 500);
  CHECK(std::equal(recorded.begin(), recorded.end(), sent.begin()));
  CHECK(host.call<audio::Audio>(audio::Audio::leave, *joined).ok());
  int closed = 0;
  a.close([&] { ++closed; });
  b.close([&] { ++closed; });
  CHECK(why(host.settle()) == "");
  CHECK(closed == 2);
  CHECK(host.problem_text() == "");
}
