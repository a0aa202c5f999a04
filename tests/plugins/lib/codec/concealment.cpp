#include "codec/concealment.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <vector>

#include "support/tone.h"

using namespace patchbay::lib;
using namespace patchbay::support;

namespace {

// A voice of this pitch: its harmonics up to 3 kHz.
std::vector<int16_t> voice(double pitch_hz, uint32_t rate_hz, size_t samples) {
  std::vector<int16_t> sum(samples);
  for (int harmonic = 1; harmonic * pitch_hz < 3000; ++harmonic) {
    const auto part = make_tone(harmonic * pitch_hz, rate_hz, samples, 4000.0 / harmonic);
    for (size_t i = 0; i < samples; ++i) sum[i] = static_cast<int16_t>(sum[i] + part[i]);
  }
  return sum;
}

double error_db(const std::vector<int16_t>& sent, const std::vector<int16_t>& heard, size_t from, size_t to) {
  std::vector<int16_t> difference;
  for (size_t i = from; i < to; ++i) difference.push_back(static_cast<int16_t>(heard[i] - sent[i]));
  return level_db(difference.data(), difference.size()) - level_db(sent.data() + from, to - from);
}

}  // namespace

TEST_CASE("the pitch of a voice continues through a lost frame") {
  for (const uint32_t rate_hz : {8000U, 16000U}) {
    for (const double pitch_hz : {80.0, 110.0, 150.0, 220.0}) {
      const size_t frame = rate_hz / 50;
      const auto sent = voice(pitch_hz, rate_hz, 20 * frame);
      auto heard = sent;
      Concealment concealment(rate_hz);
      for (size_t i = 0; i < 20; ++i) {
        int16_t* pcm = heard.data() + i * frame;
        i == 10 ? concealment.conceal(pcm, frame) : concealment.received(pcm, frame);
      }
      CAPTURE(rate_hz);
      CAPTURE(pitch_hz);
      CHECK(error_db(sent, heard, 10 * frame, 11 * frame) < -8);
      CHECK(error_db(sent, heard, 12 * frame, 20 * frame) < -60);
    }
  }
}

TEST_CASE("a loss begins and ends without a click") {
  const auto sent = make_tone(300, 8000, 3200, 10000);
  std::vector<int16_t> heard = sent;
  Concealment concealment(8000);
  for (size_t i = 0; i < 20; ++i) {
    int16_t* pcm = heard.data() + i * 160;
    i % 5 == 4 ? concealment.conceal(pcm, 160) : concealment.received(pcm, 160);
  }
  int largest = 0;  // the tone's own steps are at most 2350
  for (size_t i = 1; i < heard.size(); ++i) largest = std::max(largest, std::abs(heard[i] - heard[i - 1]));
  CHECK(largest < 2800);
}

TEST_CASE("silence and a loss before any audio are concealed by silence") {
  Concealment concealment(16000);
  std::vector<int16_t> pcm(320, 99);
  concealment.conceal(pcm.data(), pcm.size());
  for (const int16_t sample : pcm) CHECK(sample == 0);
}

TEST_CASE("the loudest audio does not overflow") {
  Concealment concealment(8000);
  std::vector<int16_t> pcm(160);
  for (size_t i = 0; i < 40; ++i) {
    for (size_t s = 0; s < pcm.size(); ++s) pcm[s] = s * 7 % 13 < 6 ? int16_t{32767} : int16_t{-32768};
    i % 3 == 2 ? concealment.conceal(pcm.data(), 160) : concealment.received(pcm.data(), 160);
  }
  CHECK(level_db(pcm.data(), pcm.size()) <= 0.1);
}
