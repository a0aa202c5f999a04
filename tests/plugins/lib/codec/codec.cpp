// What all codecs have in common.
#include "codec/codec.h"

#include <doctest/doctest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "support/tone.h"

using namespace patchbay::lib;
using namespace patchbay::support;

namespace {

constexpr double kToneHz = 1004;

struct Line {
  explicit Line(Codec codec)
      : format(format_of(codec)), encoder(*make_encoder(codec)), decoder(*make_decoder(codec)) {}
  // Sends `ms` of a tone in packets of `packet_ms`, of which `is_lost(number)` are lost, and returns what is
  // heard.
  template <class IsLost>
  std::vector<int16_t> hear(uint32_t ms, uint32_t packet_ms, IsLost is_lost, double hz = kToneHz) {
    const size_t samples = format.rate_hz / 1000 * packet_ms;
    std::vector<std::vector<uint8_t>> sent;
    for (uint32_t i = 0; i < ms / packet_ms; ++i) {
      std::vector<uint8_t> payload(kMaxPayloadBytes);
      const auto pcm = make_tone(hz, format.rate_hz, samples, 8000, i * samples);
      payload.resize(encoder->encode(pcm.data(), pcm.size(), payload.data(), payload.size()));
      CHECK(!payload.empty());
      sent.push_back(std::move(payload));
    }
    std::vector<int16_t> heard;
    std::vector<int16_t> pcm(kMaxPacketSamples);
    for (size_t i = 0; i < sent.size(); ++i) {
      if (is_lost(i)) {
        const bool has_next = i + 1 < sent.size() && !is_lost(i + 1);
        decoder->conceal(pcm.data(), samples, has_next ? sent[i + 1].data() : nullptr,
                         has_next ? sent[i + 1].size() : 0);
      } else {
        CHECK(decoder->decode(sent[i].data(), sent[i].size(), pcm.data(), pcm.size()) == samples);
      }
      heard.insert(heard.end(), pcm.begin(), pcm.begin() + static_cast<ptrdiff_t>(samples));
    }
    // The first 100 ms, in which codecs adapt.
    heard.erase(heard.begin(), heard.begin() + format.rate_hz / 10);
    return heard;
  }
  const CodecFormat& format;
  std::unique_ptr<Encoder> encoder;
  std::unique_ptr<Decoder> decoder;
};

const auto kNothingLost = [](size_t) { return false; };

std::string name_of(Codec codec) { return std::string(format_of(codec).name); }

}  // namespace

TEST_CASE("names are found without regard to case") {
  CHECK(codec_named("OPUS") == Codec::opus);
  CHECK(codec_named("g722") == Codec::g722);
  CHECK(codec_named("pcmA") == Codec::pcma);
  CHECK_FALSE(codec_named("G729"));
  CHECK_FALSE(codec_named(""));
}

TEST_CASE("the RTP clock of G.722 is 8000 and its audio has 16 kHz") {
  CHECK(format_of(Codec::g722).clock_hz == 8000);
  CHECK(format_of(Codec::g722).rate_hz == 16000);
  CHECK(format_of(Codec::opus).clock_hz == 48000);
  CHECK(format_of(Codec::pcma).payload_type == 8);
}

TEST_CASE("packet lengths are rounded down to one that the codec has") {
  CHECK(packet_ms(Codec::pcmu, 30) == 30);
  CHECK(packet_ms(Codec::g722, 25) == 20);
  CHECK(packet_ms(Codec::pcmu, 5) == 10);
  CHECK(packet_ms(Codec::pcmu, 200) == 60);
  CHECK(packet_ms(Codec::opus, 30) == 20);
  CHECK(packet_ms(Codec::opus, 50) == 40);
  CHECK(packet_ms(Codec::opus, 60) == 60);
}

TEST_CASE("a tone passes each codec in packets of every length") {
  for (const Codec codec : kAllCodecs) {
    for (const uint32_t ms : {10U, 20U, 30U, 40U, 50U, 60U}) {
      if (packet_ms(codec, ms) != ms) continue;
      Line line(codec);
      const double snr = snr_db(line.hear(1200, ms, kNothingLost), kToneHz, line.format.rate_hz);
      CAPTURE(name_of(codec));
      CAPTURE(ms);
      CHECK(snr > (codec == Codec::opus ? 18 : 33));
    }
  }
}

// The limits are a few dB below what was measured. Silence instead of the lost packets has 20, 13 and 6 dB.
TEST_CASE("a tone with lost packets stays a tone") {
  struct Row {
    Codec codec;
    int percent;
    double limit_db;
  };
  for (const Row& row : {Row{Codec::pcmu, 1, 24}, Row{Codec::pcmu, 5, 20}, Row{Codec::pcmu, 20, 10},
                         Row{Codec::pcma, 1, 24}, Row{Codec::pcma, 5, 20}, Row{Codec::pcma, 20, 10},
                         Row{Codec::g722, 1, 33}, Row{Codec::g722, 5, 26}, Row{Codec::g722, 20, 13},
                         Row{Codec::opus, 1, 27}, Row{Codec::opus, 5, 17}, Row{Codec::opus, 20, 7.5}}) {
    std::mt19937 random(7);
    std::vector<bool> lost(300);
    for (size_t i = 10; i < lost.size(); ++i) lost[i] = random() % 100 < static_cast<uint32_t>(row.percent);
    Line line(row.codec);
    const auto heard = line.hear(6000, 20, [&](size_t i) { return lost[i]; });
    const double snr = snr_db(heard, kToneHz, line.format.rate_hz);
    CAPTURE(name_of(row.codec));
    CAPTURE(row.percent);
    CHECK(snr > row.limit_db);
  }
}

TEST_CASE("concealed audio fades out") {
  for (const Codec codec : kAllCodecs) {
    Line line(codec);
    const auto heard = line.hear(2000, 20, [](size_t i) { return i >= 50; });
    const size_t per_100_ms = line.format.rate_hz / 10;
    CAPTURE(name_of(codec));
    CHECK(level_db(heard.data() + 8 * per_100_ms, per_100_ms) > -20);
    CHECK(level_db(heard.data() + heard.size() - per_100_ms, per_100_ms) < -60);
  }
}

TEST_CASE("malformed input and too little room are refused") {
  for (const Codec codec : kAllCodecs) {
    const auto encoder = *make_encoder(codec);
    const auto decoder = *make_decoder(codec);
    const auto& format = format_of(codec);
    std::vector<int16_t> pcm(kMaxPacketSamples);
    std::vector<uint8_t> out(kMaxPayloadBytes);
    const size_t samples = format.rate_hz / 50;
    CAPTURE(name_of(codec));
    const size_t bytes = encoder->encode(pcm.data(), samples, out.data(), out.size());
    CHECK(bytes > 0);
    CHECK(decoder->decode(out.data(), bytes, pcm.data(), samples - 1) == 0);
    CHECK(decoder->decode(out.data(), 0, pcm.data(), pcm.size()) == 0);
    CHECK(decoder->decode(out.data(), bytes, pcm.data(), samples) == samples);
    if (codec == Codec::opus) {
      const uint8_t reserved[] = {0xFF, 0x00};  // code 3 with 0 frames
      CHECK(decoder->decode(reserved, sizeof(reserved), pcm.data(), pcm.size()) == 0);
      CHECK(encoder->encode(pcm.data(), 1000, out.data(), out.size()) == 0);
    } else {
      CHECK(encoder->encode(pcm.data(), samples, out.data(), 10) == 0);
    }
  }
}
