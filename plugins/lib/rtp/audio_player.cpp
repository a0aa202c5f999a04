#include "rtp/audio_player.h"

#include <algorithm>

namespace patchbay::lib {

void AudioPlayer::restart() noexcept {
  buffer_.restart(clock_hz_);
  decoded_at_ = decoded_end_ = 0;
}

void AudioPlayer::put(const RtpPacket& packet, const PacketDecoder& decoder) noexcept {
  const uint32_t clock_hz = decoder.clock_hz(packet.payload_type);
  if (clock_hz == 0) return;
  if (clock_hz != clock_hz_) {
    clock_hz_ = clock_hz;
    restart();
  }
  buffer_.put({packet.timestamp, decoder.duration(packet.payload_type, packet.payload, packet.payload_bytes),
               packet.payload_type, packet.payload, packet.payload_bytes});
}

bool AudioPlayer::get(PacketDecoder& decoder, uint32_t rate_hz, int16_t* pcm) noexcept {
  const size_t samples = size_t{rate_hz} / 1000 * JitterBuffer::kFrameMs;
  const JitterBuffer::Frame frame = buffer_.begin_frame();
  if (frame == JitterBuffer::Frame::play) return fill(decoder, rate_hz, pcm, samples);
  if (frame != JitterBuffer::Frame::skip) {
    std::fill_n(pcm, samples, int16_t{0});
    if (frame == JitterBuffer::Frame::hold) extend(decoder, pcm, samples);
    return false;
  }
  // Blends one frame into the next, so that the omission is no click.
  std::array<int16_t, kMaxFrameSamples> second;
  bool received = fill(decoder, rate_hz, pcm, samples);
  received = fill(decoder, rate_hz, second.data(), samples) || received;
  for (size_t i = 0; i < samples; ++i)
    pcm[i] = static_cast<int16_t>(
        (pcm[i] * static_cast<int64_t>(samples - i) + second[i] * static_cast<int64_t>(i)) /
        static_cast<int64_t>(samples));
  return received;
}

// Conceals one frame that is played in addition; what was decoded stays for the next one.
void AudioPlayer::extend(PacketDecoder& decoder, int16_t* pcm, size_t samples) noexcept {
  std::array<int16_t, PacketDecoder::kMaxSamples> concealed;
  const size_t count =
      decoder.conceal(clock_hz_ / 1000 * JitterBuffer::kFrameMs, nullptr, 0, concealed.data());
  std::copy_n(concealed.begin(), std::min(samples, count), pcm);
}

bool AudioPlayer::fill(PacketDecoder& decoder, uint32_t rate_hz, int16_t* pcm, size_t samples) noexcept {
  bool received = false;
  for (size_t done = 0; done < samples;) {
    if (decoded_at_ == decoded_end_) {
      decode_next(decoder, rate_hz, samples - done);
      continue;
    }
    const size_t count = std::min(samples - done, decoded_end_ - decoded_at_);
    std::copy_n(decoded_.begin() + static_cast<ptrdiff_t>(decoded_at_), count, pcm + done);
    decoded_at_ += count;
    done += count;
    received = received || is_received_;
  }
  return received;
}

// Decodes or conceals what comes next.
void AudioPlayer::decode_next(PacketDecoder& decoder, uint32_t rate_hz, size_t wanted) noexcept {
  const auto units = static_cast<uint32_t>(wanted * (clock_hz_ / 1000) / (rate_hz / 1000));
  const JitterBuffer::Part part = buffer_.next(std::max(1U, units));
  decoded_at_ = 0;
  is_received_ = part.packet != nullptr;
  if (!is_received_) {
    const JitterBuffer::Packet* after = part.after_gap;
    decoded_end_ = decoder.conceal(part.gap, after != nullptr ? after->payload : nullptr,
                                   after != nullptr ? after->bytes : 0, decoded_.data());
    return;
  }
  decoded_end_ =
      decoder.decode(part.packet->payload_type, part.packet->payload, part.packet->bytes, decoded_.data());
  if (decoded_end_ == 0)  // malformed
    decoded_end_ = decoder.conceal(part.packet->duration, nullptr, 0, decoded_.data());
  decoded_at_ = std::min<size_t>(decoded_end_, size_t{part.skipped} * (rate_hz / 1000) / (clock_hz_ / 1000));
}

}  // namespace patchbay::lib
