// Decodes the payloads of one RTP stream, which may change between the negotiated codecs at any packet, to
// one sample rate; conceals what is lost, and makes comfort noise. One thread; no allocation after make().
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "codec/comfort_noise.h"
#include "resampler/resampler.h"
#include "rtp/common_codec.h"

namespace patchbay::lib {

class PacketDecoder {
 public:
  // The longest result of decode().
  static constexpr size_t kMaxSamples = kMaxPacketSamples;

  // Understands both laws of G.711 beside the codecs, because peers mix them up. Error: a rate that the
  // resampler does not have, or no memory.
  static Result<PacketDecoder> make(const std::vector<CommonCodec>& codecs, uint32_t rate_hz);

  // Returns the RTP clock of a payload type; 0 if it is none of ours. Comfort noise (RFC 3389) has that of
  // the codec in use.
  uint32_t clock_hz(uint8_t payload_type) const noexcept;
  // Returns how long a payload lasts in units of its clock; 0: malformed.
  uint32_t duration(uint8_t payload_type, const uint8_t* payload, size_t bytes) const noexcept;

  // Decodes the next payload of the stream. Returns the samples written, at most kMaxSamples; 0: malformed.
  size_t decode(uint8_t payload_type, const uint8_t* payload, size_t bytes, int16_t* pcm) noexcept;
  // Replaces lost audio of this length in units of the clock in use, at most 120 ms of it. `next`: the
  // payload that follows immediately, null if it is not there. Returns the samples written.
  size_t conceal(uint32_t units, const uint8_t* next, size_t next_bytes, int16_t* pcm) noexcept;

 private:
  struct Receiver {
    Codec codec;
    uint8_t payload_type;
    std::unique_ptr<Decoder> decoder;
    Resampler resampler;
  };
  explicit PacketDecoder(uint32_t rate_hz) : rate_hz_(rate_hz) {}
  Status add(Codec codec, int payload_type);
  const Receiver* find(uint8_t payload_type) const noexcept;
  size_t make_noise(uint32_t units, int16_t* pcm) noexcept;

  uint32_t rate_hz_;
  std::vector<Receiver> receivers_;
  size_t current_ = 0;     // whose payload came last
  bool is_noise_ = false;  // since the latest comfort noise
  NoiseGenerator noise_{0x9E3779B9};
  std::array<int16_t, kMaxPacketSamples> scratch_{};
};

}  // namespace patchbay::lib
