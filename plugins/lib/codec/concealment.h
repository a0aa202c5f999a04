// Packet-loss concealment for codecs without one of their own, in the manner of G.711 appendix I: lost audio
// is replaced by the last pitch period, which repeats and fades out between 10 and 60 ms. One thread, no
// allocation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace patchbay::lib {

class Concealment {
 public:
  static constexpr uint32_t kMaxHz = 16000;
  explicit Concealment(uint32_t rate_hz) noexcept;

  // Call it for all received audio, in order. Blends the first 5 ms after a loss with what was concealed.
  void received(int16_t* pcm, size_t samples) noexcept;
  void conceal(int16_t* pcm, size_t samples) noexcept;

 private:
  static constexpr size_t kMaxPitch = kMaxHz / 1000 * 15;                 // 66 Hz
  static constexpr size_t kHistory = kMaxHz / 1000 * 20 + 2 * kMaxPitch;  // search window and two periods

  void begin() noexcept;
  size_t find_pitch() const noexcept;
  int16_t next() noexcept;
  void remember(const int16_t* pcm, size_t samples) noexcept;

  const size_t per_ms_;
  std::array<int16_t, kHistory> history_{};  // oldest first
  std::array<float, kMaxPitch> period_{};
  size_t pitch_ = 0;
  size_t lost_ = 0;  // samples concealed so far; 0: none
  float step_ = 0;   // between the last received sample and the period; smoothed away
};

}  // namespace patchbay::lib
