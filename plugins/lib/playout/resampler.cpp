#include "playout/resampler.h"

#include <speex/speex_resampler.h>

namespace patchbay::lib {
namespace {
constexpr int kQuality = 5;  // flat to 3.4 kHz at 24 to 8 kHz, 5 ms of delay
}

Resampler::Resampler(int from_hz, int to_hz) : from_hz_(from_hz), to_hz_(to_hz) {
  int error = 0;
  state_ =
      speex_resampler_init(1, static_cast<unsigned>(from_hz), static_cast<unsigned>(to_hz), kQuality, &error);
}

Resampler::~Resampler() {
  if (state_) speex_resampler_destroy(static_cast<SpeexResamplerState*>(state_));
}

std::vector<int16_t> Resampler::process(const int16_t* samples, size_t count) {
  std::vector<int16_t> out(count * static_cast<size_t>(to_hz_) / static_cast<size_t>(from_hz_) + 16);
  auto in_length = static_cast<spx_uint32_t>(count);
  auto out_length = static_cast<spx_uint32_t>(out.size());
  if (!state_) out_length = 0;
  if (state_)
    speex_resampler_process_int(static_cast<SpeexResamplerState*>(state_), 0, samples, &in_length, out.data(),
                                &out_length);
  out.resize(out_length);
  return out;
}

}  // namespace patchbay::lib
