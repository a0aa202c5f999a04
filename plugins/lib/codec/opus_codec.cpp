// Opus (RFC 6716) by libopus.
#include <opus.h>

#include <algorithm>

#include "codec/codec_classes.h"

namespace patchbay::lib {
namespace {

constexpr opus_int32 kOpusRateHz = 48000;
constexpr opus_int32 kOpusSamplesPerMs = kOpusRateHz / 1000;
constexpr size_t kShortestFrame = 120;  // 2.5 ms, of which the length of concealed audio is a multiple
// Voice with the copy of the previous packet for FEC. README.md has the measurements.
constexpr opus_int32 kOpusBitRate = 32000;
constexpr opus_int32 kMinBitRate = 6000;  // RFC 7587 section 6.1
constexpr opus_int32 kComplexity = 1;
// FEC protects at this loss. The encoder spends about a third of its bits on it; the peer's reports come too
// late to adapt to.
constexpr opus_int32 kExpectedLossPercent = 10;

template <class State, void (*kDestroy)(State*)>
struct Destroy {
  void operator()(State* state) const noexcept { kDestroy(state); }
};
using EncoderState = std::unique_ptr<OpusEncoder, Destroy<OpusEncoder, opus_encoder_destroy>>;
using DecoderState = std::unique_ptr<OpusDecoder, Destroy<OpusDecoder, opus_decoder_destroy>>;

opus_int32 bandwidth_of(uint32_t max_playback_hz) {
  if (max_playback_hz <= 8000) return OPUS_BANDWIDTH_NARROWBAND;
  if (max_playback_hz <= 12000) return OPUS_BANDWIDTH_MEDIUMBAND;
  if (max_playback_hz <= 16000) return OPUS_BANDWIDTH_WIDEBAND;
  return OPUS_BANDWIDTH_SUPERWIDEBAND;  // engines speak at 24 kHz
}

class OpusVoiceEncoder final : public Encoder {
 public:
  explicit OpusVoiceEncoder(EncoderState state) : state_(std::move(state)) {}
  size_t encode(const int16_t* pcm, size_t samples, uint8_t* out, size_t capacity) noexcept override {
    const auto room = static_cast<opus_int32>(std::min(capacity, kMaxPayloadBytes));
    const opus_int32 bytes = opus_encode(state_.get(), pcm, static_cast<int>(samples), out, room);
    return bytes < 0 ? 0 : static_cast<size_t>(bytes);
  }

 private:
  const EncoderState state_;
};

class OpusVoiceDecoder final : public Decoder {
 public:
  explicit OpusVoiceDecoder(DecoderState state) : state_(std::move(state)) {}

  size_t decode(const uint8_t* payload, size_t bytes, int16_t* pcm, size_t capacity) noexcept override {
    if (bytes == 0) return 0;
    const int samples = opus_decode(state_.get(), payload, static_cast<opus_int32>(bytes), pcm,
                                    static_cast<int>(capacity), 0);
    return samples < 0 ? 0 : static_cast<size_t>(samples);
  }

  void conceal(int16_t* pcm, size_t samples, const uint8_t* next, size_t next_bytes) noexcept override {
    // The copy in `next` has the length of one packet; what was lost before it is concealed.
    const auto copied = static_cast<int>(next == nullptr ? 0 : opus_duration(next, next_bytes));
    const auto recovered = static_cast<size_t>(copied);
    if (recovered == 0 || recovered > samples) return extrapolate(pcm, samples);
    extrapolate(pcm, samples - recovered);
    int16_t* rest = pcm + (samples - recovered);
    if (opus_decode(state_.get(), next, static_cast<opus_int32>(next_bytes), rest, copied, 1) != copied)
      extrapolate(rest, recovered);
  }

 private:
  void extrapolate(int16_t* pcm, size_t samples) noexcept {
    while (samples > 0) {
      const size_t whole =
          std::min((samples + kShortestFrame - 1) / kShortestFrame * kShortestFrame, scratch_.size());
      const size_t used = std::min(samples, whole);
      if (opus_decode(state_.get(), nullptr, 0, scratch_.data(), static_cast<int>(whole), 0) < 0)
        std::fill_n(scratch_.begin(), whole, int16_t{0});
      pcm = std::copy_n(scratch_.begin(), used, pcm);
      samples -= used;
    }
  }

  const DecoderState state_;
  std::array<int16_t, 20 * kOpusSamplesPerMs> scratch_{};
};

}  // namespace

uint32_t opus_duration(const uint8_t* payload, size_t bytes) noexcept {
  if (bytes == 0) return 0;
  const int samples = opus_packet_get_nb_samples(payload, static_cast<opus_int32>(bytes), kOpusRateHz);
  return samples < 0 ? 0 : static_cast<uint32_t>(samples);
}

std::unique_ptr<Encoder> make_opus_encoder(const OpusOptions& options) {
  int error = OPUS_OK;
  EncoderState state(opus_encoder_create(kOpusRateHz, 1, OPUS_APPLICATION_VOIP, &error));
  if (!state || error != OPUS_OK) return nullptr;
  const opus_int32 limit =
      options.max_bit_rate == 0
          ? kOpusBitRate
          : static_cast<opus_int32>(std::min<uint32_t>(options.max_bit_rate, kOpusBitRate));
  (void)opus_encoder_ctl(state.get(), OPUS_SET_BITRATE(std::max(limit, kMinBitRate)));
  (void)opus_encoder_ctl(state.get(), OPUS_SET_COMPLEXITY(kComplexity));
  (void)opus_encoder_ctl(state.get(), OPUS_SET_SIGNAL(OPUS_SIGNAL_VOICE));
  (void)opus_encoder_ctl(state.get(), OPUS_SET_VBR(options.constant_bit_rate ? 0 : 1));
  (void)opus_encoder_ctl(state.get(), OPUS_SET_MAX_BANDWIDTH(bandwidth_of(options.max_playback_hz)));
  (void)opus_encoder_ctl(state.get(), OPUS_SET_INBAND_FEC(options.fec ? 1 : 0));
  (void)opus_encoder_ctl(state.get(), OPUS_SET_PACKET_LOSS_PERC(options.fec ? kExpectedLossPercent : 0));
  return std::make_unique<OpusVoiceEncoder>(std::move(state));
}

std::unique_ptr<Decoder> make_opus_decoder() {
  int error = OPUS_OK;
  DecoderState state(opus_decoder_create(kOpusRateHz, 1, &error));
  if (!state || error != OPUS_OK) return nullptr;
  return std::make_unique<OpusVoiceDecoder>(std::move(state));
}

}  // namespace patchbay::lib
