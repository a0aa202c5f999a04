#include "model_audio.h"

#include <cstring>
#include <utility>

namespace patchbay::engine_gemini {

std::vector<int16_t> ModelAudio::decode(const AudioPart& part) {
  std::string joined;
  if (!odd_byte_.empty()) joined = std::exchange(odd_byte_, {}) + part.bytes;
  const std::string& bytes = joined.empty() ? part.bytes : joined;
  if (bytes.size() % 2 != 0) odd_byte_ = bytes.substr(bytes.size() - 1);
  std::vector<int16_t> samples(bytes.size() / 2);
  if (samples.empty()) return samples;
  std::memcpy(samples.data(), bytes.data(), samples.size() * sizeof(int16_t));
  if (part.rate_hz == output_rate_hz_) return samples;
  if (part.rate_hz != resampled_rate_hz_) {
    resampled_rate_hz_ = part.rate_hz;
    resampler_ =
        lib::Resampler::create(static_cast<uint32_t>(part.rate_hz), static_cast<uint32_t>(output_rate_hz_));
  }
  return resampler_ ? resampler_->process(samples) : std::vector<int16_t>();
}

}  // namespace patchbay::engine_gemini
