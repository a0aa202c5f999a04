// Plays a received stream: packets go into the jitter buffer, frames of 20 ms come out, decoded and
// concealed. One thread; no allocation after construction.
#pragma once

#include <array>

#include "rtp/jitter_buffer.h"
#include "rtp/packet.h"
#include "rtp/packet_decoder.h"

namespace patchbay::lib {

class AudioPlayer {
 public:
  static constexpr size_t kMaxFrameSamples = kMaxRateHz / 1000 * JitterBuffer::kFrameMs;

  explicit AudioPlayer(const JitterBuffer::Options& options) noexcept : buffer_(options) {}

  // Starts a new stream.
  void restart() noexcept;
  // A packet that `decoder` understands. A packet of a codec with another RTP clock begins a new stream.
  void put(const RtpPacket& packet, const PacketDecoder& decoder) noexcept;
  // Writes 20 ms at `rate_hz`, the rate of `decoder`. Returns whether some of it was received rather than
  // concealed.
  bool get(PacketDecoder& decoder, uint32_t rate_hz, int16_t* pcm) noexcept;

  const JitterBuffer& buffer() const noexcept { return buffer_; }

 private:
  bool fill(PacketDecoder& decoder, uint32_t rate_hz, int16_t* pcm, size_t samples) noexcept;
  void extend(PacketDecoder& decoder, int16_t* pcm, size_t samples) noexcept;
  void decode_next(PacketDecoder& decoder, uint32_t rate_hz, size_t wanted) noexcept;

  JitterBuffer buffer_;
  uint32_t clock_hz_ = 8000;
  std::array<int16_t, PacketDecoder::kMaxSamples> decoded_{};  // of the latest packet
  size_t decoded_at_ = 0;                                      // what of it was played
  size_t decoded_end_ = 0;
  bool is_received_ = false;
};

}  // namespace patchbay::lib
