// WAV files from elsewhere: what is accepted is within the bounds, and is read back the same once it is
// written.

#include <patchbay/wav.h>

#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t kMaxSamples = 1000;
  const auto wav = patchbay::parse_wav({reinterpret_cast<const char*>(data), size}, kMaxSamples);
  if (!wav) return 0;
  if (wav->channels < 1 || wav->channels > 2 || wav->rate_hz < 8000 || wav->rate_hz > 48000) std::abort();
  if (wav->samples.size() > kMaxSamples || wav->samples.size() % wav->channels != 0) std::abort();
  const auto again = patchbay::parse_wav(patchbay::wav_bytes(*wav));
  if (!again || again->samples != wav->samples || again->rate_hz != wav->rate_hz) std::abort();
  if (patchbay::mono(*wav).size() != wav->samples.size() / wav->channels) std::abort();
  return 0;
}
