// Makes RTP payloads of the length that the peer asked for from frames of any length: converts the rate,
// collects, encodes. One thread; no allocation after make().
#pragma once

#include <array>
#include <memory>

#include "resampler/resampler.h"
#include "rtp/common_codec.h"

namespace patchbay::lib {

class PacketEncoder {
 public:
  // `rate_hz`: of what add() gets. Error: a rate that the resampler does not have, or no memory.
  static Result<PacketEncoder> make(const CommonCodec& codec, uint32_t packet_ms, uint32_t rate_hz);

  // At most 20 ms. Call next() afterwards until it returns 0.
  void add(const int16_t* pcm, uint32_t samples) noexcept;
  // Writes the next complete packet; returns its octets, 0 if none is complete.
  size_t next(uint8_t* out, size_t capacity) noexcept;
  // Forgets what is not complete.
  void discard() noexcept { collected_ = 0; }

  uint8_t payload_type() const noexcept { return payload_type_; }
  uint32_t clock_hz() const noexcept { return clock_hz_; }
  // The length of a packet, and of what is collected, in units of the RTP clock.
  uint32_t duration() const noexcept { return static_cast<uint32_t>(packet_samples_ * clock_hz_ / rate_hz_); }
  uint32_t collected() const noexcept { return static_cast<uint32_t>(collected_ * clock_hz_ / rate_hz_); }

 private:
  PacketEncoder(std::unique_ptr<Encoder> encoder, Resampler resampler, const CommonCodec& codec,
                uint32_t packet_ms);

  std::unique_ptr<Encoder> encoder_;
  Resampler resampler_;
  uint8_t payload_type_;
  uint32_t clock_hz_;
  uint32_t rate_hz_;  // of the codec
  size_t packet_samples_;
  std::array<int16_t, kMaxRateHz / 1000 * 80> pcm_{};  // less than a packet, and 20 ms
  size_t collected_ = 0;
};

}  // namespace patchbay::lib
