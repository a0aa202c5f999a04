// Tones: a generator for media loops, and samples of it for a Player.
//
//   player.play(make_tone(tones::beep(), 16000, 500), [] { ... });
//   ToneGenerator ringing_{tones::ringback(), 16000};
//   void pull(pb_frame& out) { ringing_.fill(out.pcm, out.capacity); ... }    // [media]
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace patchbay {

// Up to two frequencies together, without pause or in a cadence.
struct Tone {
  double hz = 1000;
  double second_hz = 0;   // 0: none
  double level_db = -12;  // of a sine of full scale, for each frequency; at most 0, with two -6
  int64_t on_ms = 0;      // 0: without pause
  int64_t off_ms = 0;     // between two tones
};

// Signals of ETSI TS 101 041 and what plugins need.
namespace tones {
constexpr Tone beep() { return {1000, 0, -12, 0, 0}; }
constexpr Tone dial() { return {425, 0, -15, 0, 0}; }
constexpr Tone ringback() { return {425, 0, -15, 1000, 4000}; }
constexpr Tone busy() { return {425, 0, -15, 480, 480}; }
constexpr Tone congestion() { return {425, 0, -15, 240, 240}; }
}  // namespace tones

// One object is used by one thread at a time; it does not allocate.
class ToneGenerator {
 public:
  ToneGenerator(const Tone& tone, uint32_t rate_hz) noexcept
      : on_(tone.off_ms <= 0 ? 0 : samples(tone.on_ms, rate_hz)),
        off_(samples(tone.off_ms, rate_hz)),
        edge_(rate_hz / 500),
        amplitude_(32767 * std::pow(10.0, (tone.level_db > 0 ? 0 : tone.level_db) / 20)) {
    oscillators_[0] = Oscillator(tone.hz, rate_hz);
    if (tone.second_hz > 0) oscillators_[1] = Oscillator(tone.second_hz, rate_hz);
  }

  // [media] The next samples.
  void fill(int16_t* out, size_t count) noexcept {
    for (size_t i = 0; i < count; ++i, ++at_) {
      double value = 0;
      for (Oscillator& each : oscillators_) value += each.next();
      value *= amplitude_ * gain();
      out[i] = static_cast<int16_t>(std::lrint(value < -32768 ? -32768 : value > 32767 ? 32767 : value));
    }
  }
  // [media] Begins again with the cadence.
  void restart() noexcept { at_ = 0; }

 private:
  // A sine by the rotation of a vector, whose length is corrected as it goes.
  struct Oscillator {
    Oscillator() = default;
    Oscillator(double hz, uint32_t rate_hz) noexcept
        : turn_cos(std::cos(kTwoPi * hz / rate_hz)), turn_sin(std::sin(kTwoPi * hz / rate_hz)), cosine(1) {}
    double next() noexcept {
      const double value = sine;
      const double next_cosine = cosine * turn_cos - sine * turn_sin;
      sine = sine * turn_cos + cosine * turn_sin;
      cosine = next_cosine;
      if (cosine != 0 || sine != 0) {
        const double correction = 1.5 - 0.5 * (cosine * cosine + sine * sine);
        cosine *= correction;
        sine *= correction;
      }
      return value;
    }
    double turn_cos = 1, turn_sin = 0, cosine = 0, sine = 0;
  };
  static constexpr double kTwoPi = 6.283185307179586;

  static uint64_t samples(int64_t ms, uint32_t rate_hz) noexcept {
    return ms <= 0 ? 0 : static_cast<uint64_t>(ms) * rate_hz / 1000;
  }
  // Rises and falls within 2 ms, because a step is heard as a click.
  double gain() const noexcept {
    const uint64_t at = on_ == 0 ? at_ : at_ % (on_ + off_);
    if (on_ != 0 && at >= on_) return 0;
    const uint64_t left = on_ == 0 ? edge_ : on_ - at;
    const uint64_t nearest = at < left ? at : left;
    return nearest < edge_ ? static_cast<double>(nearest) / static_cast<double>(edge_) : 1;
  }

  uint64_t on_, off_, edge_;  // in samples
  double amplitude_;
  std::array<Oscillator, 2> oscillators_;
  uint64_t at_ = 0;
};

// `ms` of a tone at that rate, which ends without a click.
inline std::vector<int16_t> make_tone(Tone tone, uint32_t rate_hz, int64_t ms) {
  if (tone.on_ms <= 0) {
    tone.on_ms = ms;
    tone.off_ms = ms;
  }
  std::vector<int16_t> out(ms <= 0 ? 0 : static_cast<size_t>(ms) * rate_hz / 1000);
  ToneGenerator(tone, rate_hz).fill(out.data(), out.size());
  return out;
}

}  // namespace patchbay
