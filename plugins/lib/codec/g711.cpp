#include "codec/g711.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace patchbay::lib {
namespace {

constexpr int kMuBias = 0x84;
constexpr bool kLittleEndian = std::endian::native == std::endian::little;

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

// 16 samples at a time, written with the vector types of GCC and clang, which both compile for any processor.
// The logarithm is that of a float: its exponent is the segment, and the 4 bits behind it are the step.
constexpr size_t kLanes = 4;
constexpr size_t kBlock = 16;
constexpr int32_t kStepShift = 19;        // leaves the exponent and 4 bits of a float
constexpr int32_t kExponent7 = 134 << 4;  // of 128 to 255, after the shift

typedef int16_t Shorts __attribute__((vector_size(8), aligned(2), may_alias));
typedef int32_t Ints __attribute__((vector_size(16)));
typedef float Floats __attribute__((vector_size(16)));
typedef uint8_t Bytes __attribute__((vector_size(16)));

inline Ints float_bits(Ints values) noexcept {
  return reinterpret_cast<Ints>(__builtin_convertvector(values, Floats));
}

inline Ints mu_encode(Ints sample) noexcept {
  const Ints sign = sample >> 31;
  const Ints magnitude = ((sample ^ sign) - sign) + kMuBias;  // from 132, whose exponent is 7
  Ints code = (float_bits(magnitude) >> kStepShift) - kExponent7;
  code -= code >> 7;  // clips 128, the only code beyond 127
  return (code | (sign & 0x80)) ^ 0xFF;
}

inline Ints a_encode(Ints sample) noexcept {
  const Ints sign = sample >> 31;
  const Ints magnitude = sample ^ sign;  // ones' complement, as in the tables of G.711
  const Ints is_linear = magnitude < 256;
  const Ints code = (float_bits(magnitude) >> kStepShift) - kExponent7;
  return ((is_linear & (magnitude >> 4)) | (~is_linear & code) | (~sign & 0x80)) ^ 0x55;
}

// Returns the lowest bytes of 16 numbers.
inline Bytes pack(const Ints (&codes)[kBlock / kLanes]) noexcept {
  const auto halves = [](Bytes a, Bytes b) {
    return kLittleEndian
               ? __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30)
               : __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
  };
  return halves(halves(reinterpret_cast<Bytes>(codes[0]), reinterpret_cast<Bytes>(codes[1])),
                halves(reinterpret_cast<Bytes>(codes[2]), reinterpret_cast<Bytes>(codes[3])));
}

template <Ints (*kEncode)(Ints)>
void encode_block(const int16_t* pcm, uint8_t* out) noexcept {
  Ints codes[kBlock / kLanes];
  for (size_t i = 0; i < kBlock / kLanes; ++i)
    codes[i] = kEncode(__builtin_convertvector(*reinterpret_cast<const Shorts*>(pcm + i * kLanes), Ints));
  const Bytes bytes = pack(codes);
  std::memcpy(out, &bytes, sizeof bytes);
}

template <Ints (*kEncode)(Ints)>
void encode(const int16_t* pcm, size_t count, uint8_t* out) noexcept {
  size_t at = 0;
  for (; at + kBlock <= count; at += kBlock) encode_block<kEncode>(pcm + at, out + at);
  if (at == count) return;
  int16_t rest[kBlock] = {};
  uint8_t codes[kBlock];
  std::copy_n(pcm + at, count - at, rest);
  encode_block<kEncode>(rest, codes);
  std::copy_n(codes, count - at, out + at);
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
  (law == G711::mu_law ? encode<mu_encode> : encode<a_encode>)(pcm, count, out);
}

void g711_decode(G711 law, const uint8_t* in, size_t count, int16_t* pcm) noexcept {
  const auto& table = law == G711::mu_law ? kMuToPcm : kAToPcm;
  for (size_t i = 0; i < count; ++i) pcm[i] = table[in[i]];
}

}  // namespace patchbay::lib
