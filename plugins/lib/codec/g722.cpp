#include "codec/g722.h"

#include <algorithm>

#include "codec/g722_tables.h"

namespace patchbay::lib {
namespace {

constexpr int kMaxLowNb = 18432;
constexpr int kMaxHighNb = 22528;
constexpr int kLeak = 32640;   // 255/256 in Q15, by which old coefficients fade
constexpr int kLeak2 = 32512;  // 127/128, for the second pole
constexpr int kQ6Levels = 30;
constexpr int kHighStep = 564;

constexpr int saturate(int value) noexcept { return std::clamp(value, -32768, 32767); }
constexpr bool same_sign(int a, int b) noexcept { return (a < 0) == (b < 0); }
constexpr int magnitude(int value) noexcept { return value >= 0 ? value : -(value + 1); }

// SCALEL, SCALEH: the step from its logarithm.
constexpr int scale(int nb, int shift) noexcept {
  const int mantissa = g722::kIlb[nb >> 6 & 31];
  const int exponent = shift - (nb >> 11);
  return (exponent < 0 ? mantissa << -exponent : mantissa >> exponent) << 2;
}

// QUANTL
int quantise_low(int error, int det) noexcept {
  const int size = magnitude(error);
  int level = 1;
  while (level < kQ6Levels && size >= (g722::kQ6[level] * det) >> 12) ++level;
  return error < 0 ? g722::kIln[level] : g722::kIlp[level];
}

// QUANTH
int quantise_high(int error, int det) noexcept {
  const int level = magnitude(error) >= (kHighStep * det) >> 12 ? 2 : 1;
  return error < 0 ? g722::kIhn[level] : g722::kIhp[level];
}

// Returns the sums of both phases of the filter.
struct Phases {
  int even = 0;
  int odd = 0;
};
Phases filter(G722Delay& delay, int first, int second) noexcept {
  std::copy(delay.begin() + 2, delay.end(), delay.begin());
  delay[22] = first;
  delay[23] = second;
  Phases sums;
  for (size_t i = 0; i < 12; ++i) {
    sums.odd += delay[2 * i] * g722::kQmf[i];
    sums.even += delay[2 * i + 1] * g722::kQmf[11 - i];
  }
  return sums;
}

int update_second_pole(const G722Band& band) noexcept {
  int wd = saturate(band.a[1] << 2);
  if (same_sign(band.p[0], band.p[1])) wd = -wd;
  wd = std::min(wd, 32767) >> 7;
  wd += same_sign(band.p[0], band.p[2]) ? 128 : -128;
  wd += (band.a[2] * kLeak2) >> 15;
  return std::clamp(wd, -12288, 12288);
}

int update_first_pole(const G722Band& band, int second_pole) noexcept {
  const int step = same_sign(band.p[0], band.p[1]) ? 192 : -192;
  const int limit = saturate(15360 - second_pole);
  return std::clamp(saturate(step + ((band.a[1] * kLeak) >> 15)), -limit, limit);
}

}  // namespace

// INVQAL, LOGSCL, SCALEL and the predictor, by the four upper bits of the lower half's code.
void G722Band::adapt_low(int ril) noexcept {
  const int difference = (det * g722::kQm4[ril]) >> 15;
  nb = std::clamp(((nb * 127) >> 7) + g722::kWl[g722::kRl42[ril]], 0, kMaxLowNb);
  det = scale(nb, 8);
  predict(difference);
}

// LOGSCH, SCALEH and the predictor.
void G722Band::adapt_high(int ihigh) noexcept {
  const int difference = (det * g722::kQm2[ihigh]) >> 15;
  nb = std::clamp(((nb * 127) >> 7) + g722::kWh[g722::kRh2[ihigh]], 0, kMaxHighNb);
  det = scale(nb, 10);
  predict(difference);
}

// Block 4: RECONS, PARREC, UPPOL2, UPPOL1, UPZERO, DELAYA, FILTEP, FILTEZ, PREDIC.
void G722Band::predict(int difference) noexcept {
  d[0] = difference;
  r[0] = saturate(s + difference);
  p[0] = saturate(sz + difference);
  const int second_pole = update_second_pole(*this);
  const int first_pole = update_first_pole(*this, second_pole);
  const int step = difference == 0 ? 0 : 128;
  for (size_t i = 1; i < b.size(); ++i)
    b[i] = saturate((same_sign(d[i], d[0]) ? step : -step) + ((b[i] * kLeak) >> 15));
  std::copy_backward(d.begin(), d.end() - 1, d.end());
  std::copy_backward(r.begin(), r.end() - 1, r.end());
  std::copy_backward(p.begin(), p.end() - 1, p.end());
  a = {0, first_pole, second_pole};
  const int poles = saturate(((a[1] * saturate(r[1] * 2)) >> 15) + ((a[2] * saturate(r[2] * 2)) >> 15));
  sz = 0;
  for (size_t i = d.size() - 1; i > 0; --i) sz += (b[i] * saturate(d[i] * 2)) >> 15;
  sz = saturate(sz);
  s = saturate(poles + sz);
}

void G722Codes::encode(const int16_t* pcm, size_t samples, uint8_t* out) noexcept {
  for (size_t i = 0; i + 1 < samples; i += 2) {
    const Phases sums = filter(delay_, pcm[i], pcm[i + 1]);
    const int low = quantise_low(saturate(((sums.even + sums.odd) >> 14) - low_.s), low_.det);
    low_.adapt_low(low >> 2);
    const int high = quantise_high(saturate(((sums.even - sums.odd) >> 14) - high_.s), high_.det);
    high_.adapt_high(high);
    *out++ = static_cast<uint8_t>(high << 6 | low);
  }
}

void G722Codes::decode(const uint8_t* in, size_t bytes, int16_t* pcm) noexcept {
  for (size_t i = 0; i < bytes; ++i) {
    const int low = in[i] & 0x3F;
    const int high = in[i] >> 6;
    const int rlow = std::clamp(low_.s + ((low_.det * g722::kQm6[low]) >> 15), -16384, 16383);
    low_.adapt_low(low >> 2);
    const int rhigh = std::clamp(high_.s + ((high_.det * g722::kQm2[high]) >> 15), -16384, 16383);
    high_.adapt_high(high);
    const Phases sums = filter(delay_, rlow + rhigh, rlow - rhigh);
    *pcm++ = static_cast<int16_t>(saturate(sums.even >> 11));
    *pcm++ = static_cast<int16_t>(saturate(sums.odd >> 11));
  }
}

}  // namespace patchbay::lib
