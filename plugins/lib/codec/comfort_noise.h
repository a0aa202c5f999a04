// Comfort noise (RFC 3389): a peer that suppresses silence describes the noise of the line in one packet, and
// the receiver makes noise like it until audio comes again. Also the description of noise that is to be sent.
// One thread, no allocation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace patchbay::lib {

struct NoiseDescription {
  static constexpr size_t kMaxOrder = 12;
  uint8_t level = 127;                        // -dBov: 0 is the loudest square wave
  size_t order = 0;                           // reflection coefficients in use; 0: white noise
  std::array<float, kMaxOrder> reflection{};  // all between -1 and 1, so that the filter is stable
};

// Returns nullopt for an empty payload. Ignores coefficients beyond kMaxOrder.
std::optional<NoiseDescription> read_comfort_noise(const uint8_t* payload, size_t bytes) noexcept;
// Returns the octets written: 1 + order, or 0 if `capacity` is smaller.
size_t write_comfort_noise(const NoiseDescription& noise, uint8_t* out, size_t capacity) noexcept;
// Returns the level and spectrum of `pcm`.
NoiseDescription describe_noise(const int16_t* pcm, size_t samples, size_t order) noexcept;

class NoiseGenerator {
 public:
  explicit NoiseGenerator(uint32_t seed) noexcept : random_(seed | 1U) {}
  void set(const NoiseDescription& noise) noexcept;
  void generate(int16_t* pcm, size_t samples) noexcept;

 private:
  float white() noexcept;
  uint32_t random_;
  float gain_ = 0;
  NoiseDescription noise_;
  std::array<float, NoiseDescription::kMaxOrder + 1> delayed_{};  // of the lattice filter
};

}  // namespace patchbay::lib
