#include "support/tone.h"

#include <doctest/doctest.h>
#include <patchbay/tone.h>

using namespace patchbay;

TEST_CASE("a generated tone has its frequency and level, for minutes") {
  for (const uint32_t rate_hz : {8000u, 16000u, 48000u}) {
    ToneGenerator tone({1000, 0, -12, 0, 0}, rate_hz);
    std::vector<int16_t> frame(rate_hz / 50);
    for (int i = 0; i < 50 * 120; ++i) tone.fill(frame.data(), frame.size());
    std::vector<int16_t> second(rate_hz);
    tone.fill(second.data(), second.size());
    CHECK(support::snr_db(second, 1000, rate_hz) > 60);
    // A sine of full scale has an RMS level of -3 dB.
    CHECK(support::level_db(second.data(), second.size()) == doctest::Approx(-15.01).epsilon(0.01));
  }
}

TEST_CASE("two frequencies sound together, and too loud a level is that of full scale") {
  const auto both = make_tone({440, 480, -12, 0, 0}, 8000, 1000);
  CHECK(support::level_db(both.data() + 400, 7200) == doctest::Approx(-12).epsilon(0.05));
  const auto loud = make_tone({1000, 0, 40, 0, 0}, 8000, 100);
  CHECK(support::level_db(loud.data() + 80, 640) == doctest::Approx(-3.01).epsilon(0.01));
}

TEST_CASE("a cadence has its pauses, without clicks at its edges") {
  ToneGenerator busy(tones::busy(), 8000);
  std::vector<int16_t> pcm(8000 * 2);
  busy.fill(pcm.data(), pcm.size());
  const auto level = [&](size_t from_ms, size_t ms) { return support::level_db(&pcm[from_ms * 8], ms * 8); };
  CHECK(level(10, 460) > -20);
  CHECK(level(481, 478) < -90);
  CHECK(level(970, 460) > -20);
  CHECK(level(1441, 478) < -90);
  CHECK(pcm[0] == 0);
  int step = 0;
  for (size_t i = 1; i < pcm.size(); ++i) step = std::max(step, std::abs(pcm[i] - pcm[i - 1]));
  CHECK(step < 5827 * 2 * 3.1416 * 425 / 8000 * 1.1);  // the slope of the sine
  busy.restart();
  int16_t first[160];
  busy.fill(first, 160);
  CHECK(support::level_db(first + 40, 120) > -20);
}

TEST_CASE("a finite tone has its length, and ends in silence") {
  const auto beep = make_tone(tones::beep(), 16000, 500);
  REQUIRE(beep.size() == 8000);
  CHECK(std::abs(beep.back()) < 1000);
  CHECK(support::snr_db(beep.data() + 100, 7800, 1000, 16000) > 60);
  CHECK(make_tone(tones::beep(), 16000, 0).empty());
}
