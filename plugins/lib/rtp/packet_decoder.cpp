#include "rtp/packet_decoder.h"

#include <algorithm>
#include <utility>

#include "rtp/payload_type.h"

namespace patchbay::lib {
namespace {

constexpr uint32_t kNoiseClockHz = 8000;     // RFC 3389 section 4
constexpr uint32_t kNoisePacketUnits = 160;  // 20 ms at once; the rest is made as the gap after it

}  // namespace

Result<PacketDecoder> PacketDecoder::make(const std::vector<CommonCodec>& codecs, uint32_t rate_hz) {
  PacketDecoder made(rate_hz);
  for (const CommonCodec& one : codecs) PB_TRY(made.add(one.codec, one.receive_type));
  for (const Codec law : {Codec::pcmu, Codec::pcma}) PB_TRY(made.add(law, format_of(law).payload_type));
  return made;
}

Status PacketDecoder::add(Codec codec, int payload_type) {
  const auto type = static_cast<uint8_t>(payload_type & 0x7F);
  if (find(type) != nullptr) return {};
  PB_TRY_VALUE(auto decoder, make_decoder(codec));
  PB_TRY_VALUE(auto resampler, Resampler::create(format_of(codec).rate_hz, rate_hz_));
  receivers_.push_back({codec, type, std::move(decoder), std::move(resampler)});
  return {};
}

const PacketDecoder::Receiver* PacketDecoder::find(uint8_t payload_type) const noexcept {
  for (const Receiver& receiver : receivers_)
    if (receiver.payload_type == payload_type) return &receiver;
  return nullptr;
}

uint32_t PacketDecoder::clock_hz(uint8_t payload_type) const noexcept {
  if (payload_type == kComfortNoisePayloadType) {
    const uint32_t in_use = format_of(receivers_[current_].codec).clock_hz;
    return in_use == kNoiseClockHz ? in_use : 0;
  }
  const Receiver* receiver = find(payload_type);
  return receiver == nullptr ? 0 : format_of(receiver->codec).clock_hz;
}

uint32_t PacketDecoder::duration(uint8_t payload_type, const uint8_t* payload, size_t bytes) const noexcept {
  if (payload_type == kComfortNoisePayloadType) return bytes > 0 ? kNoisePacketUnits : 0;
  const Receiver* receiver = find(payload_type);
  return receiver == nullptr ? 0 : payload_duration(receiver->codec, payload, bytes);
}

size_t PacketDecoder::decode(uint8_t payload_type, const uint8_t* payload, size_t bytes,
                             int16_t* pcm) noexcept {
  if (payload_type == kComfortNoisePayloadType) {
    const auto noise = read_comfort_noise(payload, bytes);
    if (!noise) return 0;
    noise_.set(*noise);
    is_noise_ = true;
    return make_noise(kNoisePacketUnits, pcm);
  }
  const Receiver* found = find(payload_type);
  if (found == nullptr) return 0;
  current_ = static_cast<size_t>(found - receivers_.data());
  is_noise_ = false;
  const size_t samples = found->decoder->decode(payload, bytes, scratch_.data(), scratch_.size());
  return receivers_[current_].resampler.process(scratch_.data(), static_cast<uint32_t>(samples), pcm,
                                                kMaxSamples);
}

size_t PacketDecoder::conceal(uint32_t units, const uint8_t* next, size_t next_bytes, int16_t* pcm) noexcept {
  if (is_noise_) return make_noise(units, pcm);
  Receiver& receiver = receivers_[current_];
  const CodecFormat& format = format_of(receiver.codec);
  const size_t samples =
      std::min(size_t{units} * (format.rate_hz / 1000) / (format.clock_hz / 1000), scratch_.size());
  receiver.decoder->conceal(scratch_.data(), samples, next, next_bytes);
  return receiver.resampler.process(scratch_.data(), static_cast<uint32_t>(samples), pcm, kMaxSamples);
}

size_t PacketDecoder::make_noise(uint32_t units, int16_t* pcm) noexcept {
  const auto samples = static_cast<uint32_t>(std::min(size_t{units}, scratch_.size()));
  noise_.generate(scratch_.data(), samples);
  // Through the resampler of a receiver of the same rate, at least that of G.711.
  const auto narrow = std::find_if(receivers_.begin(), receivers_.end(), [](const Receiver& receiver) {
    return format_of(receiver.codec).rate_hz == kNoiseClockHz;
  });
  return narrow->resampler.process(scratch_.data(), samples, pcm, kMaxSamples);
}

}  // namespace patchbay::lib
