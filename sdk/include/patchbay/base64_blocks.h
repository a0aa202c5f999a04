// The inner loops of base64.h, which has the functions for callers: tables, and blocks of 16 characters with
// vector instructions (Wojciech Mula's method) where the processor has SSSE3.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define PB_BASE64_SSSE3 1
#include <tmmintrin.h>
#endif

namespace patchbay {
namespace detail {

inline constexpr char kBase64Digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
inline constexpr char kBase64UrlDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
inline constexpr uint8_t kBase64Bad = 64, kBase64Skip = 65, kBase64End = 66;

// The value of each character: a sextet, or one of the marks above.
using Base64Values = std::array<uint8_t, 256>;

constexpr Base64Values make_base64_values(const char* digits) {
  Base64Values values{};
  for (auto& value : values) value = kBase64Bad;
  for (uint8_t i = 0; i < 64; ++i) values[static_cast<uint8_t>(digits[i])] = i;
  return values;
}

constexpr Base64Values make_lenient_base64_values() {
  Base64Values values = make_base64_values(kBase64Digits);
  values['-'] = 62;
  values['_'] = 63;
  values['\r'] = values['\n'] = kBase64Skip;
  values['='] = kBase64End;
  return values;
}

inline constexpr Base64Values kLenientBase64 = make_lenient_base64_values();
inline constexpr Base64Values kStrictBase64Url = make_base64_values(kBase64UrlDigits);

// By value, because a loop would reload pointers that its stores may change.
struct Base64Progress {
  const uint8_t* from;
  uint8_t* to;
};

// Decodes groups of 4 sextets to 3 bytes, and stops before a group with another character.
inline Base64Progress decode_base64_groups(Base64Progress at, const uint8_t* end,
                                           const Base64Values& values) noexcept {
  for (; end - at.from >= 4; at.from += 4, at.to += 3) {
    const uint32_t a = values[at.from[0]], b = values[at.from[1]], c = values[at.from[2]],
                   d = values[at.from[3]];
    if ((a | b | c | d) >= kBase64Bad) break;
    const uint32_t group = a << 18U | b << 12U | c << 6U | d;
    at.to[0] = static_cast<uint8_t>(group >> 16U);
    at.to[1] = static_cast<uint8_t>(group >> 8U);
    at.to[2] = static_cast<uint8_t>(group);
  }
  return at;
}

#ifdef PB_BASE64_SSSE3

inline bool has_base64_blocks() noexcept { return __builtin_cpu_supports("ssse3") != 0; }

inline __m128i load_base64_block(const uint8_t* from) noexcept {
  __m128i block;
  std::memcpy(&block, from, sizeof block);
  return block;
}

// Encodes 12 bytes to 16 characters, and reads 16.
[[gnu::target("ssse3")]] inline Base64Progress encode_base64_blocks(Base64Progress at,
                                                                    const uint8_t* end) noexcept {
  // What to add to a sextet for its character, by kind: 0 upper case, 1 lower case, 2 to 11 digits, + and /.
  const __m128i offsets =
      _mm_setr_epi8('A', 'a' - 26, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52,
                    '0' - 52, '0' - 52, '0' - 52, '+' - 62, '/' - 63, 0, 0);
  const __m128i order = _mm_setr_epi8(1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10);
  for (; end - at.from >= 16; at.from += 12, at.to += 16) {
    const __m128i bytes = _mm_shuffle_epi8(load_base64_block(at.from), order);
    const __m128i even =
        _mm_mulhi_epu16(_mm_and_si128(bytes, _mm_set1_epi32(0x0FC0FC00)), _mm_set1_epi32(0x04000040));
    const __m128i odd =
        _mm_mullo_epi16(_mm_and_si128(bytes, _mm_set1_epi32(0x003F03F0)), _mm_set1_epi32(0x01000010));
    const __m128i sextets = _mm_or_si128(even, odd);
    const __m128i above_upper = _mm_cmpgt_epi8(sextets, _mm_set1_epi8(25));  // -1 or 0
    const __m128i kind = _mm_sub_epi8(_mm_subs_epu8(sextets, _mm_set1_epi8(51)), above_upper);
    const __m128i characters = _mm_add_epi8(sextets, _mm_shuffle_epi8(offsets, kind));
    std::memcpy(at.to, &characters, sizeof characters);
  }
  return at;
}

// Decodes 16 characters to 12 bytes, and overwrites the 4 behind them; stops before a block with a character
// outside the standard alphabet. Leaves at least 8 characters, whose room those 4 bytes are.
[[gnu::target("ssse3")]] inline Base64Progress decode_base64_blocks(Base64Progress at,
                                                                    const uint8_t* end) noexcept {
  // A character is valid if the entries of its halves have no bit in common.
  const __m128i low_half = _mm_setr_epi8(0x15, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x13,
                                         0x1A, 0x1B, 0x1B, 0x1B, 0x1A);
  const __m128i high_half = _mm_setr_epi8(0x10, 0x10, 0x01, 0x02, 0x04, 0x08, 0x04, 0x08, 0x10, 0x10, 0x10,
                                          0x10, 0x10, 0x10, 0x10, 0x10);
  // What to add for the sextet, by the upper half; '/' takes the entry before that of its half.
  const __m128i offsets =
      _mm_setr_epi8(0, 63 - '/', 62 - '+', 52 - '0', -'A', -'A', 26 - 'a', 26 - 'a', 0, 0, 0, 0, 0, 0, 0, 0);
  const __m128i order = _mm_setr_epi8(2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1);
  const __m128i slash = _mm_set1_epi8('/');
  for (; end - at.from >= 24; at.from += 16, at.to += 12) {
    const __m128i characters = load_base64_block(at.from);
    // '/' as the mask keeps bit 5 as well, which the shuffle ignores.
    const __m128i high = _mm_and_si128(_mm_srli_epi32(characters, 4), slash);
    const __m128i invalid = _mm_and_si128(_mm_shuffle_epi8(low_half, _mm_and_si128(characters, slash)),
                                          _mm_shuffle_epi8(high_half, high));
    if (_mm_movemask_epi8(_mm_cmpgt_epi8(invalid, _mm_setzero_si128())) != 0) break;
    const __m128i index = _mm_add_epi8(_mm_cmpeq_epi8(characters, slash), high);
    const __m128i sextets = _mm_add_epi8(characters, _mm_shuffle_epi8(offsets, index));
    const __m128i pairs = _mm_maddubs_epi16(sextets, _mm_set1_epi32(0x01400140));
    const __m128i groups = _mm_shuffle_epi8(_mm_madd_epi16(pairs, _mm_set1_epi32(0x00011000)), order);
    std::memcpy(at.to, &groups, sizeof groups);
  }
  return at;
}

#else

constexpr bool has_base64_blocks() noexcept { return false; }
inline Base64Progress encode_base64_blocks(Base64Progress at, const uint8_t*) noexcept { return at; }
inline Base64Progress decode_base64_blocks(Base64Progress at, const uint8_t*) noexcept { return at; }

#endif

}  // namespace detail
}  // namespace patchbay
