#include "resampler/resampler.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

using namespace patchbay::lib;

namespace {

using Samples = std::vector<int16_t>;
using Rates = std::pair<uint32_t, uint32_t>;

constexpr double kTurn = 2 * 3.14159265358979323846;
constexpr double kAmplitude = 20000;
constexpr Rates kTelephony[] = {{8000, 16000},  {16000, 8000},  {8000, 24000}, {24000, 8000},  {16000, 24000},
                                {24000, 16000}, {8000, 48000},  {48000, 8000}, {16000, 48000}, {48000, 16000},
                                {24000, 48000}, {48000, 24000}, {8000, 32000}, {32000, 24000}};

Resampler resampler(const Rates& rates) {
  auto made = Resampler::create(rates.first, rates.second);
  REQUIRE(made);
  return *std::move(made);
}

// By frames of 20 ms.
Samples convert(const Rates& rates, const Samples& in) {
  Resampler converter = resampler(rates);
  Samples out, frame(rates.second / 50);
  for (size_t at = 0; at + rates.first / 50 <= in.size(); at += rates.first / 50) {
    const uint32_t count = converter.process(in.data() + at, rates.first / 50, frame.data(),
                                             static_cast<uint32_t>(frame.size()));
    out.insert(out.end(), frame.begin(), frame.begin() + count);
  }
  return out;
}

Samples tone(double hz, uint32_t rate_hz, double seconds) {
  Samples out(static_cast<size_t>(seconds * rate_hz));
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<int16_t>(std::lrint(kAmplitude * std::sin(kTurn * hz * double(i) / rate_hz)));
  return out;
}

// The level of a tone in half a second of `samples`, relative to kAmplitude, with a Blackman window.
double level_db(const Samples& samples, double hz, uint32_t rate_hz) {
  const size_t count = rate_hz / 2, begin = samples.size() - count;
  double sine = 0, cosine = 0, weight = 0;
  for (size_t i = 0; i < count; ++i) {
    const double at = double(i) / double(count);
    const double window = 0.42 - 0.5 * std::cos(kTurn * at) + 0.08 * std::cos(2 * kTurn * at);
    sine += window * samples[begin + i] * std::sin(kTurn * hz * double(i) / rate_hz);
    cosine += window * samples[begin + i] * std::cos(kTurn * hz * double(i) / rate_hz);
    weight += window;
  }
  return 20 * std::log10(2 * std::hypot(sine, cosine) / weight / kAmplitude + 1e-9);
}

// Where a tone appears at a lower sampling rate.
double folded(double hz, uint32_t rate_hz) {
  const double rest = std::fmod(hz, rate_hz);
  return std::min(rest, rate_hz - rest);
}

}  // namespace

TEST_CASE("20 ms of input give 20 ms of output in every call, the first included") {
  for (const Rates& rates : kTelephony) {
    CAPTURE(rates.first);
    CAPTURE(rates.second);
    Resampler converter = resampler(rates);
    const Samples in(rates.first / 50, 1000);
    Samples out(rates.second / 50 + 8);
    for (int call = 0; call < 5; ++call)
      CHECK(converter.process(in.data(), rates.first / 50, out.data(), uint32_t(out.size())) ==
            rates.second / 50);
  }
}

TEST_CASE("the pass band is flat within 0.02 dB up to 0.425 of the lower rate") {
  for (const Rates& rates : kTelephony) {
    CAPTURE(rates.first);
    CAPTURE(rates.second);
    const double low = std::min(rates.first, rates.second);
    for (double share = 0.0125; share <= 0.4251; share += 0.0824) {
      const double hz = share * low;
      CAPTURE(hz);
      const double db = level_db(convert(rates, tone(hz, rates.first, 0.6)), hz, rates.second);
      CHECK(std::abs(db) < 0.02);
    }
  }
}

TEST_CASE("a tone above half the lower rate leaves no alias above -90 dB") {
  for (const Rates& rates : kTelephony) {
    if (rates.first < rates.second) continue;
    CAPTURE(rates.first);
    CAPTURE(rates.second);
    for (double hz = 0.505 * rates.second; hz < 0.49 * rates.first; hz += 0.071 * rates.second) {
      CAPTURE(hz);
      const Samples out = convert(rates, tone(hz, rates.first, 0.6));
      CHECK(level_db(out, folded(hz, rates.second), rates.second) < -90);
    }
  }
}

TEST_CASE("a tone leaves no image above -90 dB") {
  for (const Rates& rates : kTelephony) {
    if (rates.first > rates.second) continue;
    CAPTURE(rates.first);
    CAPTURE(rates.second);
    for (double hz = 0.02 * rates.first; hz < 0.49 * rates.first; hz += 0.094 * rates.first) {
      CAPTURE(hz);
      const Samples out = convert(rates, tone(hz, rates.first, 0.6));
      for (double multiple = rates.first; multiple < rates.second; multiple += rates.first) {
        CHECK(level_db(out, folded(multiple - hz, rates.second), rates.second) < -90);
        CHECK(level_db(out, folded(multiple + hz, rates.second), rates.second) < -90);
      }
    }
  }
}

TEST_CASE("the delay is at most 30 samples of the lower rate") {
  for (const Rates& rates : kTelephony) {
    CAPTURE(rates.first);
    CAPTURE(rates.second);
    Samples in(rates.first / 5);
    in[rates.first / 20] = 30000;
    const Samples out = convert(rates, in);
    const auto peak = std::max_element(out.begin(), out.end()) - out.begin();
    const double delay_ms = (double(peak) / rates.second - 0.05) * 1000;
    CHECK(delay_ms <= 30.001 * 1000 / std::min(rates.first, rates.second));
  }
}

TEST_CASE("other ratios are converted as well") {
  for (const Rates& rates : {Rates{44100, 8000}, Rates{11025, 16000}}) {
    const Samples out = convert(rates, tone(1000, rates.first, 1));
    CHECK(std::abs(level_db(out, 1000, rates.second)) < 0.05);
  }
}

TEST_CASE("equal rates pass through") {
  const Samples in = tone(440, 8000, 0.02);
  CHECK(resampler({8000, 8000}).process(in) == in);
}

TEST_CASE("a resampler writes no more than the capacity") {
  for (const Rates& rates :
       {Rates{8000, 16000}, Rates{24000, 16000}, Rates{44100, 8000}, Rates{8000, 8000}}) {
    Resampler converter = resampler(rates);
    const Samples in(480, 500);
    Samples out(64, 7);
    CHECK(converter.process(in.data(), 480, out.data(), 33) <= 33);
    CHECK(std::count(out.begin() + 33, out.end(), int16_t{7}) == 31);
  }
}

TEST_CASE("a rate outside 4 to 192 kHz is refused") {
  CHECK_FALSE(Resampler::create(3999, 8000));
  CHECK_FALSE(Resampler::create(8000, 192001));
}
