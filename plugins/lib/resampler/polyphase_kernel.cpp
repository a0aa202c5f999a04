#include "resampler/polyphase_kernel.h"

#include <bit>
#include <cstring>

// Written with the vector types of GCC and clang, which both compile for any processor: 4 lanes for SSE2 and
// NEON, 8 lanes for AVX2. Functions are forced inline, because only then they use the instructions of their
// caller.
#define PB_INLINE [[gnu::always_inline]] inline

namespace patchbay::lib {
namespace {

constexpr size_t kLength = PolyphaseFilter::kLength;
constexpr size_t kStride = PolyphaseFilter::kStride;
constexpr size_t kMaxFactor = PolyphaseFilter::kMaxFactor;
constexpr size_t kMaxGroups = PolyphaseFilter::kMaxGroups;
constexpr size_t kMaxLanes = PolyphaseFilter::kMaxLanes;
constexpr bool kLittleEndian = std::endian::native == std::endian::little;

struct Lanes4 {
  static constexpr size_t kLanes = 4;
  static constexpr size_t kSums = 8;  // vectors summed at once, within 16 registers
  typedef float Floats __attribute__((vector_size(16), aligned(4), may_alias));
  typedef int32_t Ints __attribute__((vector_size(16), aligned(4), may_alias));
  typedef int16_t Shorts __attribute__((vector_size(8), aligned(2), may_alias));
  typedef int32_t Pairs __attribute__((vector_size(16), aligned(2), may_alias));  // of Shorts
};

#ifdef __x86_64__
struct Lanes8 {
  static constexpr size_t kLanes = 8;
  static constexpr size_t kSums = 10;
  typedef float Floats __attribute__((vector_size(32), aligned(4), may_alias));
  typedef int32_t Ints __attribute__((vector_size(32), aligned(4), may_alias));
  typedef int16_t Shorts __attribute__((vector_size(16), aligned(2), may_alias));
  typedef int32_t Pairs __attribute__((vector_size(32), aligned(2), may_alias));
};
#endif

template <class Lanes>
PB_INLINE void to_floats(const int16_t* in, size_t count, float* out) noexcept {
  size_t at = 0;
  for (; at + Lanes::kLanes <= count; at += Lanes::kLanes) {
    const auto wide = __builtin_convertvector(*reinterpret_cast<const typename Lanes::Shorts*>(in + at),
                                              typename Lanes::Ints);
    *reinterpret_cast<typename Lanes::Floats*>(out + at) =
        __builtin_convertvector(wide, typename Lanes::Floats);
  }
  for (; at < count; ++at) out[at] = in[at];
}

template <size_t kPhases>
PB_INLINE void deinterleave(const float* samples, size_t groups, float* out) noexcept {
  for (const float* const end = samples + groups * kPhases; samples != end; samples += kPhases, ++out) {
#pragma GCC unroll 4
    for (size_t phase = 0; phase < kPhases; ++phase) out[phase * kStride] = samples[phase];
  }
}

// Writes each phase of the new groups behind its history, and zeros up to a multiple of the lanes.
template <class Lanes>
PB_INLINE void split(const int16_t* in, size_t groups, size_t phases, float* input) noexcept {
  float samples[kMaxFactor * kMaxGroups];
  to_floats<Lanes>(in, groups * phases, phases == 1 ? input + kLength : samples);
  if (phases == 2) deinterleave<2>(samples, groups, input + kLength);
  if (phases == 3) deinterleave<3>(samples, groups, input + kLength);
  for (size_t phase = 0; phases > 3 && phase < phases; ++phase)
    for (size_t i = 0; i < groups; ++i) input[phase * kStride + kLength + i] = samples[i * phases + phase];
  for (size_t phase = 0; phase < phases; ++phase)
    std::memset(input + phase * kStride + kLength + groups, 0, kMaxLanes * sizeof(float));
}

// Rounds to the nearest, and limits to 16 bits.
template <class Lanes>
PB_INLINE void store(typename Lanes::Floats& sum, int32_t* out) noexcept {
  constexpr float kRound = 12582912;  // 1.5 * 2^23: the bits of a sum with it are an integer
  constexpr int32_t kRoundBits = 0x4B400000;
  sum = sum < -32768.0F ? typename Lanes::Floats{} - 32768.0F : sum;
  sum = sum > 32767.0F ? typename Lanes::Floats{} + 32767.0F : sum;
  sum += kRound;
  *reinterpret_cast<typename Lanes::Ints*>(out) =
      reinterpret_cast<const typename Lanes::Ints&>(sum) - kRoundBits;
}

// Computes kCount vectors of one phase of the output.
template <class Lanes, size_t kCount>
PB_INLINE void sum_taps(const std::vector<PolyphaseFilter::Tap>& taps, const float* input,
                        int32_t* out) noexcept {
  typename Lanes::Floats sums[kCount] = {};
  for (const PolyphaseFilter::Tap& tap : taps) {
    const float* from = input + tap.offset;
#pragma GCC unroll 16
    for (size_t i = 0; i < kCount; ++i)
      sums[i] += *reinterpret_cast<const typename Lanes::Floats*>(from + i * Lanes::kLanes) * tap.coefficient;
  }
#pragma GCC unroll 16
  for (size_t i = 0; i < kCount; ++i) store<Lanes>(sums[i], out + i * Lanes::kLanes);
}

// Writes the phases of the output by turns.
template <class Lanes>
PB_INLINE void join(const int32_t* phases, size_t up, size_t groups, int16_t* out) noexcept {
  size_t at = 0;
  if (up == 1) {
    for (; at + Lanes::kLanes <= groups; at += Lanes::kLanes)
      *reinterpret_cast<typename Lanes::Shorts*>(out + at) = __builtin_convertvector(
          *reinterpret_cast<const typename Lanes::Ints*>(phases + at), typename Lanes::Shorts);
  }
  if (up == 2) {
    for (; at + Lanes::kLanes <= groups; at += Lanes::kLanes) {
      const auto& first = *reinterpret_cast<const typename Lanes::Ints*>(phases + at);
      const auto& second = *reinterpret_cast<const typename Lanes::Ints*>(phases + kMaxGroups + at);
      *reinterpret_cast<typename Lanes::Pairs*>(out + 2 * at) =
          kLittleEndian ? (first & 0xFFFF) | (second << 16) : (first << 16) | (second & 0xFFFF);
    }
  }
  for (size_t phase = 0; phase < up; ++phase)
    for (size_t i = at; i < groups; ++i)
      out[i * up + phase] = static_cast<int16_t>(phases[phase * kMaxGroups + i]);
}

template <class Lanes>
PB_INLINE void convert(const PolyphaseFilter& filter, const int16_t* in, size_t groups, float* history,
                       int16_t* out) noexcept {
  float input[kMaxFactor * kStride];
  int32_t output[kMaxFactor * kMaxGroups];
  constexpr size_t kBlock = Lanes::kSums * Lanes::kLanes;
  static_assert(kMaxGroups % kMaxLanes == 0);
  for (size_t phase = 0; phase < filter.down(); ++phase)
    std::memcpy(input + phase * kStride, history + phase * kLength, kLength * sizeof(float));
  split<Lanes>(in, groups, filter.down(), input);
  for (size_t phase = 0; phase < filter.up(); ++phase) {
    int32_t* to = output + phase * kMaxGroups;
    size_t at = 0;
    for (; at + kBlock <= groups; at += kBlock)
      sum_taps<Lanes, Lanes::kSums>(filter.taps(phase), input + at, to + at);
    for (; at < groups; at += Lanes::kLanes) sum_taps<Lanes, 1>(filter.taps(phase), input + at, to + at);
  }
  join<Lanes>(output, filter.up(), groups, out);
  for (size_t phase = 0; phase < filter.down(); ++phase)
    std::memcpy(history + phase * kLength, input + phase * kStride + groups, kLength * sizeof(float));
}

void convert_4_lanes(const PolyphaseFilter& filter, const int16_t* in, size_t groups, float* history,
                     int16_t* out) noexcept {
  convert<Lanes4>(filter, in, groups, history, out);
}

#ifdef __x86_64__
[[gnu::target("avx2,fma")]] void convert_avx2(const PolyphaseFilter& filter, const int16_t* in, size_t groups,
                                              float* history, int16_t* out) noexcept {
  convert<Lanes8>(filter, in, groups, history, out);
}
constexpr PolyphaseKernel kKernels[] = {convert_avx2, convert_4_lanes};
bool has_avx2() noexcept { return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0; }
#else
constexpr PolyphaseKernel kKernels[] = {convert_4_lanes};
constexpr bool has_avx2() noexcept { return true; }
#endif

}  // namespace

std::span<const PolyphaseKernel> polyphase_kernels() noexcept {
  return std::span(kKernels).subspan(has_avx2() ? 0 : 1);
}

}  // namespace patchbay::lib

#undef PB_INLINE
