#include "rtp/tone_detector.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace patchbay::lib {
namespace {

constexpr std::array<float, 8> kToneHz{697, 770, 852, 941, 1209, 1336, 1477, 1633};
constexpr char kKeys[4][4] = {
    {'1', '2', '3', 'A'}, {'4', '5', '6', 'B'}, {'7', '8', '9', 'C'}, {'*', '0', '#', 'D'}};
constexpr size_t kBlockAt8kHz =
    102;  // whose width in frequency separates the tones and accepts 1.5 % of error
// Q.24 and its national versions; ratios of energy.
constexpr float kNormalTwist = 6.31F;   // 8 dB: the column may be as much stronger than the row
constexpr float kReverseTwist = 2.51F;  // 4 dB: and the row than the column
constexpr float kNeighbour = 6.31F;     // 8 dB above the other rows, and the other columns
// Of the block's energy in both tones: tones that are 1.5 % off leave 0.80, 15 dB of noise 0.97; speech
// rarely has as much.
constexpr float kShareOfAll = 0.79F;
constexpr float kMinLevel =
    80;  // amplitude of each tone: -52 dBov, below the -26 dBm of telephones at the end of a long line

}  // namespace

void ToneDetector::restart(uint32_t rate_hz) noexcept {
  rate_hz_ = rate_hz;
  block_ = kBlockAt8kHz * rate_hz / 8000;
  for (size_t i = 0; i < kTones; ++i)
    filters_[i].coefficient =
        2 * std::cos(2 * std::numbers::pi_v<float> * kToneHz[i] / static_cast<float>(rate_hz));
  last_ = current_ = 0;
  begin_block();
}

void ToneDetector::begin_block() noexcept {
  filled_ = 0;
  energy_ = 0;
  for (Filter& filter : filters_) filter.before = filter.latest = 0;
}

std::optional<char> ToneDetector::add(const int16_t* pcm, size_t samples) noexcept {
  std::optional<char> begun;
  while (samples > 0) {
    const size_t count = std::min(samples, block_ - filled_);
    for (size_t i = 0; i < count; ++i) {
      const auto sample = static_cast<float>(pcm[i]);
      energy_ += sample * sample;
      for (Filter& filter : filters_) {
        const float next = sample + filter.coefficient * filter.latest - filter.before;
        filter.before = filter.latest;
        filter.latest = next;
      }
    }
    pcm += count;
    samples -= count;
    filled_ += count;
    if (filled_ < block_) break;
    const char heard = decide();
    begin_block();
    // Two blocks must agree that something has changed.
    if (heard != current_ && last_ != current_) {
      current_ = heard == last_ ? heard : char{0};
      if (current_ != 0) begun = current_;
    }
    last_ = heard;
  }
  return begun;
}

char ToneDetector::decide() const noexcept {
  std::array<float, kTones> energies;
  for (size_t i = 0; i < kTones; ++i) energies[i] = filters_[i].energy();
  const auto row = std::max_element(energies.begin(), energies.begin() + 4);
  const auto column = std::max_element(energies.begin() + 4, energies.end());
  const auto length = static_cast<float>(block_);
  const float floor = kMinLevel * kMinLevel * length * length / 4;  // of a sine of that amplitude
  if (*row < floor || *column < floor) return 0;
  if (*column > *row * kNormalTwist || *row > *column * kReverseTwist) return 0;
  for (auto other = energies.begin(); other != energies.end(); ++other) {
    const float peak = other < energies.begin() + 4 ? *row : *column;
    if (other != row && other != column && *other * kNeighbour > peak) return 0;
  }
  // A sine of the block's energy E has the Goertzel energy E * length / 2.
  if (*row + *column < kShareOfAll * energy_ * length / 2) return 0;
  return kKeys[row - energies.begin()][column - energies.begin() - 4];
}

}  // namespace patchbay::lib
