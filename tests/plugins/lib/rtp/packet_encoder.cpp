#include "rtp/packet_encoder.h"

#include <doctest/doctest.h>

#include <vector>

#include "support/tone.h"

using namespace patchbay::lib;

namespace {

CommonCodec offered(Codec codec) {
  return {codec, codec == Codec::opus ? 96 : format_of(codec).payload_type, 0, {}};
}

}  // namespace

TEST_CASE("frames of 20 ms become packets of the wanted length") {
  for (const Codec codec : kAllCodecs) {
    for (const uint32_t rate_hz : {8000U, 16000U, 48000U}) {
      for (const uint32_t ms : {10U, 20U, 30U, 40U, 60U}) {
        auto encoder = PacketEncoder::make(offered(codec), ms, rate_hz);
        REQUIRE(encoder);
        const uint32_t length = packet_ms(codec, ms);
        CHECK(encoder->duration() == format_of(codec).clock_hz / 1000 * length);
        const std::vector<int16_t> frame(rate_hz / 50, 100);
        uint8_t out[kMaxPayloadBytes];
        uint32_t packets = 0;
        for (int i = 0; i < 60; ++i) {  // 1.2 s
          encoder->add(frame.data(), static_cast<uint32_t>(frame.size()));
          while (encoder->next(out, sizeof(out)) > 0) ++packets;
        }
        CHECK(packets == 1200 / length);
        CHECK(encoder->collected() == 0);
      }
    }
  }
}

TEST_CASE("what fills no packet is discarded on demand") {
  auto encoder = PacketEncoder::make(offered(Codec::pcmu), 60, 8000);
  REQUIRE(encoder);
  const std::vector<int16_t> frame(160);
  uint8_t out[kMaxPayloadBytes];
  encoder->add(frame.data(), 160);
  encoder->add(frame.data(), 160);
  CHECK(encoder->collected() == 320);
  encoder->discard();
  for (int i = 0; i < 2; ++i) {
    encoder->add(frame.data(), 160);
    CHECK(encoder->next(out, sizeof(out)) == 0);
  }
  encoder->add(frame.data(), 160);
  CHECK(encoder->next(out, sizeof(out)) == 480);
}

TEST_CASE("an odd rate is refused") { CHECK_FALSE(PacketEncoder::make(offered(Codec::pcmu), 20, 1)); }
