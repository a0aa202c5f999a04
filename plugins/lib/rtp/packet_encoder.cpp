#include "rtp/packet_encoder.h"

#include <algorithm>
#include <utility>

namespace patchbay::lib {

Result<PacketEncoder> PacketEncoder::make(const CommonCodec& codec, uint32_t packet_ms, uint32_t rate_hz) {
  PB_TRY_VALUE(auto encoder, make_encoder(codec.codec, codec.opus));
  PB_TRY_VALUE(auto resampler, Resampler::create(rate_hz, format_of(codec.codec).rate_hz));
  return PacketEncoder(std::move(encoder), std::move(resampler), codec,
                       lib::packet_ms(codec.codec, packet_ms));
}

PacketEncoder::PacketEncoder(std::unique_ptr<Encoder> encoder, Resampler resampler, const CommonCodec& codec,
                             uint32_t packet_ms)
    : encoder_(std::move(encoder)),
      resampler_(std::move(resampler)),
      payload_type_(static_cast<uint8_t>(codec.send_type & 0x7F)),
      clock_hz_(format_of(codec.codec).clock_hz),
      rate_hz_(format_of(codec.codec).rate_hz),
      packet_samples_(size_t{rate_hz_} / 1000 * packet_ms) {}

void PacketEncoder::add(const int16_t* pcm, uint32_t samples) noexcept {
  const auto room = static_cast<uint32_t>(pcm_.size() - collected_);
  collected_ += resampler_.process(pcm, samples, pcm_.data() + collected_, room);
}

size_t PacketEncoder::next(uint8_t* out, size_t capacity) noexcept {
  if (collected_ < packet_samples_) return 0;
  const size_t bytes = encoder_->encode(pcm_.data(), packet_samples_, out, capacity);
  std::copy(pcm_.begin() + static_cast<ptrdiff_t>(packet_samples_),
            pcm_.begin() + static_cast<ptrdiff_t>(collected_), pcm_.begin());
  collected_ -= packet_samples_;
  return bytes;
}

}  // namespace patchbay::lib
