// A payload of an unknown sender through each decoder, also as the packet after a loss, and as comfort noise.
#include "codec/codec.h"

#include <cstdlib>

#include "codec/comfort_noise.h"

using namespace patchbay::lib;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::array<std::unique_ptr<Decoder>, kAllCodecs.size()> decoders{
      *make_decoder(Codec::pcmu), *make_decoder(Codec::pcma), *make_decoder(Codec::g722),
      *make_decoder(Codec::opus)};
  static NoiseGenerator generator(1);
  static std::array<int16_t, kMaxPacketSamples> pcm;
  if (size < 2) return 0;
  Decoder& decoder = *decoders[data[0] % decoders.size()];
  const size_t lost = data[1] * 40U;
  const uint8_t* payload = data + 2;
  if (data[0] & 0x80) decoder.conceal(pcm.data(), std::min(lost, pcm.size()), payload, size - 2);
  if (decoder.decode(payload, size - 2, pcm.data(), pcm.size()) > pcm.size()) std::abort();
  if (const auto noise = read_comfort_noise(payload, size - 2)) {
    generator.set(*noise);
    generator.generate(pcm.data(), 160);
    uint8_t out[NoiseDescription::kMaxOrder + 1];
    if (write_comfort_noise(*noise, out, sizeof(out)) != noise->order + 1) std::abort();
  }
  return 0;
}
