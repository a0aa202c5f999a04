// Detects DTMF digits that are sent as tones in the audio (ITU-T Q.23, Q.24), by the Goertzel algorithm on
// blocks of 13 ms. One thread; no allocation.
//
// A digit is reported once two blocks agree, so after 26 to 38 ms of tone, and again only after 26 ms without
// it. Speech is kept out by the levels of both tones against each other, against their neighbours and against
// everything else.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace patchbay::lib {

class ToneDetector {
 public:
  // Starts with a rate of at least 8 kHz.
  void restart(uint32_t rate_hz) noexcept;
  uint32_t rate_hz() const noexcept { return rate_hz_; }

  // Returns the digit ("0-9*#A-D") that begins in these samples; at most 20 ms at once, in which one can
  // begin at most.
  std::optional<char> add(const int16_t* pcm, size_t samples) noexcept;

 private:
  static constexpr size_t kTones = 8;  // four rows, four columns
  struct Filter {
    float coefficient = 0;
    float before = 0;
    float latest = 0;
    float energy() const noexcept {
      return before * before + latest * latest - before * latest * coefficient;
    }
  };
  char decide() const noexcept;  // 0: none
  void begin_block() noexcept;

  uint32_t rate_hz_ = 0;
  size_t block_ = 0;  // samples of a block
  size_t filled_ = 0;
  std::array<Filter, kTones> filters_{};
  float energy_ = 0;
  char last_ = 0;     // what the latest block had
  char current_ = 0;  // the digit that has been reported and not ended
};

}  // namespace patchbay::lib
