#include "g711/g711.h"

#include <array>

namespace patchbay::lib {
namespace {

constexpr int kMuBias = 0x84;
constexpr int kMuClip = 32635;

constexpr int16_t mu_decode(uint8_t code) {
  const int bits = ~code & 0xFF;
  const int magnitude = ((((bits & 0x0F) << 3) + kMuBias) << ((bits >> 4) & 7)) - kMuBias;
  return static_cast<int16_t>((bits & 0x80) != 0 ? -magnitude : magnitude);
}

constexpr int16_t a_decode(uint8_t code) {
  const int bits = code ^ 0x55;
  const int segment = (bits >> 4) & 7;
  int magnitude = ((bits & 0x0F) << 4) + 8;
  if (segment > 0) magnitude = (magnitude + 0x100) << (segment - 1);
  return static_cast<int16_t>((bits & 0x80) != 0 ? magnitude : -magnitude);
}

// Returns the lowest segment (at most 7) whose upper end, 2^(low + segment) - 1, is not below the magnitude.
constexpr int segment_of(int magnitude, int low) {
  int segment = 0;
  while (segment < 7 && magnitude >= (1 << (low + segment))) ++segment;
  return segment;
}

constexpr uint8_t mu_encode(int sample) {
  const int sign = sample < 0 ? 0x80 : 0;
  int magnitude = sample < 0 ? -sample : sample;
  magnitude = (magnitude > kMuClip ? kMuClip : magnitude) + kMuBias;
  const int segment = segment_of(magnitude, 8);
  return static_cast<uint8_t>(~(sign | (segment << 4) | ((magnitude >> (segment + 3)) & 0x0F)));
}

constexpr uint8_t a_encode(int sample) {
  const int sign = sample >= 0 ? 0x80 : 0;
  const int magnitude = sample >= 0 ? sample : -sample - 1;  // ones' complement, as in the tables of G.711
  const int segment = segment_of(magnitude, 8);
  const int step = (magnitude >> (segment == 0 ? 4 : segment + 3)) & 0x0F;
  return static_cast<uint8_t>((sign | (segment << 4) | step) ^ 0x55);
}

template <class Function>
constexpr auto decode_table(Function decode) {
  std::array<int16_t, 256> table{};
  for (int i = 0; i < 256; ++i) table[static_cast<size_t>(i)] = decode(static_cast<uint8_t>(i));
  return table;
}

constexpr auto kMuToPcm = decode_table(mu_decode);
constexpr auto kAToPcm = decode_table(a_decode);

}  // namespace

void g711_encode(G711 law, const int16_t* pcm, size_t count, uint8_t* out) noexcept {
  if (law == G711::mu_law) {
    for (size_t i = 0; i < count; ++i) out[i] = mu_encode(pcm[i]);
  } else {
    for (size_t i = 0; i < count; ++i) out[i] = a_encode(pcm[i]);
  }
}

void g711_decode(G711 law, const uint8_t* in, size_t count, int16_t* pcm) noexcept {
  const auto& table = law == G711::mu_law ? kMuToPcm : kAToPcm;
  for (size_t i = 0; i < count; ++i) pcm[i] = table[in[i]];
}

}  // namespace patchbay::lib
