#include "rtp/tone_detector.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "support/baresip_phone.h"
#include "support/child_process.h"

using patchbay::lib::ToneDetector;

namespace {

constexpr std::string_view kAllDigits = "147*2580369#ABCD";  // column by column

struct KeyPress {
  double amplitude = 4000;  // of each tone
  double twist_db = 0;      // column over row
  double error = 0;         // of both frequencies
  int tone_ms = 50;
  int pause_ms = 50;
  double noise_db = -100;  // of the tones
};

void append(std::vector<int16_t>& pcm, char digit, uint32_t rate_hz, const KeyPress& press) {
  constexpr double kHz[] = {697, 770, 852, 941, 1209, 1336, 1477, 1633};
  static std::mt19937 random(1);
  std::normal_distribution<double> normal;
  const size_t at = kAllDigits.find(digit);
  const double row = kHz[at % 4] * (1 + press.error) * 2 * std::numbers::pi / rate_hz;
  const double column = kHz[4 + at / 4] * (1 + press.error) * 2 * std::numbers::pi / rate_hz;
  const double above = press.amplitude * std::pow(10, press.twist_db / 20);
  const double noise = press.amplitude * std::pow(10, press.noise_db / 20);
  for (int i = 0; i < press.tone_ms * static_cast<int>(rate_hz) / 1000; ++i)
    pcm.push_back(static_cast<int16_t>(press.amplitude * std::sin(row * i) + above * std::sin(column * i) +
                                       noise * normal(random)));
  for (int i = 0; i < press.pause_ms * static_cast<int>(rate_hz) / 1000; ++i)
    pcm.push_back(static_cast<int16_t>(noise * normal(random)));
}

std::string detect(const std::vector<int16_t>& pcm, uint32_t rate_hz) {
  ToneDetector detector;
  detector.restart(rate_hz);
  std::string heard;
  const size_t frame = rate_hz / 50;
  for (size_t at = 0; at + frame <= pcm.size(); at += frame)
    if (const auto digit = detector.add(pcm.data() + at, frame)) heard += *digit;
  return heard;
}

std::string detect_all(uint32_t rate_hz, const KeyPress& press) {
  std::vector<int16_t> pcm(rate_hz / 10);
  for (const char digit : kAllDigits) append(pcm, digit, rate_hz, press);
  pcm.resize(pcm.size() + rate_hz / 10);
  return detect(pcm, rate_hz);
}

}  // namespace

TEST_CASE("every digit is detected once at every rate") {
  for (const uint32_t rate_hz : {8000U, 16000U, 48000U}) {
    CHECK(detect_all(rate_hz, {}) == kAllDigits);
    CHECK(detect_all(rate_hz, {.tone_ms = 400, .pause_ms = 60}) == kAllDigits);
  }
}

TEST_CASE("what Q.24 asks for is detected") {
  CHECK(detect_all(8000, {.tone_ms = 40}) == kAllDigits);
  CHECK(detect_all(8000, {.error = 0.015}) == kAllDigits);
  CHECK(detect_all(8000, {.error = -0.015}) == kAllDigits);
  CHECK(detect_all(8000, {.twist_db = 6}) == kAllDigits);
  CHECK(detect_all(8000, {.twist_db = -3}) == kAllDigits);
  CHECK(detect_all(8000, {.amplitude = 15000}) == kAllDigits);
  CHECK(detect_all(8000, {.amplitude = 150}) == kAllDigits);
  CHECK(detect_all(8000, {.noise_db = -15}) == kAllDigits);
}

TEST_CASE("what is no key press is not detected") {
  CHECK(detect_all(8000, {.tone_ms = 20}) == "");
  CHECK(detect_all(8000, {.error = 0.035}) == "");
  CHECK(detect_all(8000, {.error = -0.035}) == "");
  CHECK(detect_all(8000, {.twist_db = 12}) == "");
  CHECK(detect_all(8000, {.twist_db = -9}) == "");
  CHECK(detect_all(8000, {.amplitude = 20}) == "");
  CHECK(detect(std::vector<int16_t>(80000), 8000) == "");
}

TEST_CASE("the same digit twice is two digits, and a gap within one is not") {
  std::vector<int16_t> pcm;
  append(pcm, '5', 8000, {.pause_ms = 45});
  append(pcm, '5', 8000, {.pause_ms = 200});
  append(pcm, '7', 8000, {.tone_ms = 100, .pause_ms = 10});
  append(pcm, '7', 8000, {.tone_ms = 100, .pause_ms = 100});
  CHECK(detect(pcm, 8000) == "557");
}

TEST_CASE("speech of Debian's synthesizer is no digit") {
  const std::string text =
      "Good morning, this is the practice of Doctor Miller calling about your appointment tomorrow at ten "
      "fifteen. Could you please "
      "confirm that you will be there? If you would like another day, we have eight, nine, or eleven o'clock "
      "on Wednesday, and zero "
      "slots on Friday. Sarah and Steven see several seashells. Who knew you too would choose the blue "
      "shoes? Please press one for "
      "yes, two for no, three to hear this again, and four, five, six, seven or the pound key for an "
      "operator. Thank you very much, "
      "and have a wonderful, sunny afternoon. Hello? Hello! Mmm. Aah. Oooh. Eee.";
  patchbay::test::TempFolder folder;
  int voices = 0;
  for (const std::string voice : {"kal", "kal16", "awb", "rms", "slt"}) {
    const std::string wav = folder.file(voice + ".wav");
    auto flite = patchbay::test::Child::spawn({"flite", "-voice", voice, "-t", text, "-o", wav},
                                              folder.path(), folder.file("output"));
    REQUIRE(flite);
    REQUIRE(flite->wait(std::chrono::seconds(60)));
    const auto pcm = patchbay::test::read_wav(wav);
    REQUIRE(pcm.size() > 8000U * 10);
    CHECK(detect(pcm, voice == "kal" ? 8000 : 16000) == "");
    ++voices;
  }
  CHECK(voices == 5);
}
