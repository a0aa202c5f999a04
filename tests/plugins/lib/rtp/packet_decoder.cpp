#include "rtp/packet_decoder.h"

#include <doctest/doctest.h>

#include <vector>

#include "support/tone.h"

using namespace patchbay::lib;
using namespace patchbay::support;

namespace {

PacketDecoder decoder_at(uint32_t rate_hz) {
  auto made = PacketDecoder::make({{Codec::opus, 111, 96, {}}, {Codec::g722, 9, 9, {}}}, rate_hz);
  REQUIRE(made);
  return *std::move(made);
}

const std::vector<uint8_t> kSilence(160, 0xFF);

}  // namespace

TEST_CASE("payload types are those of what the peer sends, and both laws of G.711 are understood") {
  auto decoder = decoder_at(8000);
  CHECK(decoder.clock_hz(96) == 48000);
  CHECK(decoder.clock_hz(111) == 0);
  CHECK(decoder.clock_hz(9) == 8000);
  CHECK(decoder.clock_hz(0) == 8000);
  CHECK(decoder.clock_hz(8) == 8000);
  CHECK(decoder.clock_hz(18) == 0);
  CHECK(decoder.duration(9, kSilence.data(), 160) == 160);
  CHECK(decoder.duration(96, kSilence.data(), 0) == 0);
}

TEST_CASE("a stream may change its codec, and keeps its rate outside") {
  for (const uint32_t rate_hz : {8000U, 16000U, 48000U}) {
    auto decoder = decoder_at(rate_hz);
    std::vector<int16_t> pcm(PacketDecoder::kMaxSamples);
    CHECK(decoder.decode(0, kSilence.data(), 160, pcm.data()) == rate_hz / 50);
    CHECK(decoder.decode(9, kSilence.data(), 160, pcm.data()) == rate_hz / 50);
    CHECK(decoder.conceal(160, nullptr, 0, pcm.data()) == rate_hz / 50);
    const auto encoder = *make_encoder(Codec::opus);
    const std::vector<int16_t> silence(960);
    uint8_t payload[kMaxPayloadBytes];
    const size_t bytes = encoder->encode(silence.data(), 960, payload, sizeof(payload));
    CHECK(decoder.decode(96, payload, bytes, pcm.data()) == rate_hz / 50);
    CHECK(decoder.conceal(960, payload, bytes, pcm.data()) == rate_hz / 50);
    CHECK(decoder.conceal(48 * 120, nullptr, 0, pcm.data()) == rate_hz / 1000 * 120);
  }
}

TEST_CASE("comfort noise goes on until audio comes again") {
  auto decoder = decoder_at(16000);
  std::vector<int16_t> pcm(PacketDecoder::kMaxSamples);
  REQUIRE(decoder.decode(0, kSilence.data(), 160, pcm.data()) == 320);
  CHECK(decoder.clock_hz(13) == 8000);
  const uint8_t noise[] = {40};
  CHECK(decoder.duration(13, noise, 1) == 160);
  CHECK(decoder.duration(13, noise, 0) == 0);
  CHECK(decoder.decode(13, noise, 1, pcm.data()) == 320);
  for (int i = 0; i < 20; ++i) CHECK(decoder.conceal(160, nullptr, 0, pcm.data()) == 320);
  CHECK(std::abs(level_db(pcm.data(), 320) + 40) < 3);
  CHECK(decoder.decode(0, kSilence.data(), 160, pcm.data()) == 320);
  decoder.conceal(160, nullptr, 0, pcm.data());
  CHECK(level_db(pcm.data() + 160, 160) < -80);
}

TEST_CASE("comfort noise of 8 kHz does not belong to Opus") {
  auto decoder = decoder_at(48000);
  CHECK(decoder.clock_hz(13) == 0);
}
