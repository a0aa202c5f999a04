#include "resampler/resampler.h"

#include <speex/speex_resampler.h>

#include <algorithm>
#include <cstring>
#include <numeric>

namespace patchbay::lib {
namespace {

constexpr int kSpeexQuality = 5;

}  // namespace

void Resampler::Destroy::operator()(SpeexResamplerState_* state) const noexcept {
  speex_resampler_destroy(state);
}

Result<Resampler> Resampler::create(uint32_t from_hz, uint32_t to_hz) {
  if (from_hz < kMinHz || from_hz > kMaxHz || to_hz < kMinHz || to_hz > kMaxHz) {
    return {Code::invalid, "a sample rate must be between 4 and 192 kHz"};
  }
  Resampler resampler(from_hz, to_hz);
  if (from_hz == to_hz) return resampler;
  const uint32_t common = std::gcd(from_hz, to_hz);
  if (const PolyphaseFilter* filter = PolyphaseFilter::find(to_hz / common, from_hz / common)) {
    resampler.polyphase_ = std::make_unique<Polyphase>(*filter, polyphase_kernels().front());
    return resampler;
  }
  int error = RESAMPLER_ERR_SUCCESS;
  resampler.speex_.reset(speex_resampler_init(1, from_hz, to_hz, kSpeexQuality, &error));
  if (!resampler.speex_) return {Code::exhausted, speex_resampler_strerror(error)};
  return resampler;
}

uint32_t Resampler::process(const int16_t* in, uint32_t samples, int16_t* out, uint32_t capacity) noexcept {
  if (polyphase_) return static_cast<uint32_t>(polyphase_->process(in, samples, out, capacity));
  if (!speex_) {
    const uint32_t count = std::min(samples, capacity);
    std::memcpy(out, in, count * sizeof(int16_t));
    return count;
  }
  spx_uint32_t taken = samples;
  spx_uint32_t made = capacity;
  speex_resampler_process_int(speex_.get(), 0, in, &taken, out, &made);
  return made;
}

std::vector<int16_t> Resampler::process(const std::vector<int16_t>& samples) {
  constexpr size_t kSlack = 16;  // for rounding, and for samples that the filter still held
  std::vector<int16_t> out(samples.size() * to_hz_ / from_hz_ + kSlack);
  out.resize(process(samples.data(), static_cast<uint32_t>(samples.size()), out.data(),
                     static_cast<uint32_t>(out.size())));
  return out;
}

}  // namespace patchbay::lib
