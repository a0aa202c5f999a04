// What is heard of a tone over a bad network, by its signal-to-noise ratio.
#include "rtp/audio_player.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <vector>

#include "rtp/packet_encoder.h"
#include "support/tone.h"

using namespace patchbay::lib;
using namespace patchbay::support;

namespace {

constexpr double kPlayedHz = 1004;
constexpr int64_t kMs = 1000;  // in microseconds

struct Network {
  double loss = 0;
  int64_t jitter_us = 0;  // even distribution; without `in_order` packets overtake each other
  bool in_order = false;
  double drift_ppm = 0;  // of the sender's clock
  uint32_t packet_ms = 20;
  uint32_t first_timestamp = 0xFFFFF000;  // wraps after 0.5 s
};

struct Heard {
  std::vector<int16_t> pcm;
  JitterBuffer::Stats stats;
  uint32_t delay_ms = 0;
  double snr() const { return mean_snr_db(pcm, kPlayedHz, rate_hz); }
  uint32_t rate_hz = 0;
};

// Sends `seconds` of a tone through the network into a player of 40 to 200 ms.
Heard hear(Codec codec, const Network& network, int seconds, uint32_t seed = 1) {
  const uint32_t rate_hz = format_of(codec).rate_hz;
  const CommonCodec common{codec, 96, 96, {}};
  auto encoder = PacketEncoder::make(common, network.packet_ms, rate_hz);
  auto decoder = PacketDecoder::make({common}, rate_hz);
  REQUIRE(encoder);
  REQUIRE(decoder);
  AudioPlayer player({40, 200});
  std::mt19937 random(seed);
  std::multimap<int64_t, RtpPacket> arrivals;
  std::vector<std::vector<uint8_t>> payloads;
  const size_t frame = rate_hz / 50;
  uint32_t timestamp = network.first_timestamp;
  int64_t latest_us = 0;
  payloads.reserve(static_cast<size_t>(seconds) * 200);
  for (int tick = 0; tick < seconds * 50; ++tick) {
    const auto pcm = make_tone(kPlayedHz, rate_hz, frame, 8000, static_cast<size_t>(tick) * frame);
    encoder->add(pcm.data(), static_cast<uint32_t>(frame));
    uint8_t payload[kMaxPayloadBytes];
    while (const size_t bytes = encoder->next(payload, sizeof(payload))) {
      payloads.emplace_back(payload, payload + bytes);
      RtpPacket packet;
      packet.payload_type = 96;
      packet.timestamp = timestamp;
      packet.payload = payloads.back().data();
      packet.payload_bytes = bytes;
      timestamp += encoder->duration();
      if (static_cast<double>(random() % 100'000) < network.loss * 100'000) continue;
      auto at_us = static_cast<int64_t>(tick * 20 * kMs * (1 + network.drift_ppm / 1e6));
      if (network.jitter_us > 0)
        at_us += static_cast<int64_t>(random() % static_cast<uint32_t>(network.jitter_us));
      if (network.in_order) at_us = latest_us = std::max(latest_us, at_us);
      arrivals.emplace(at_us, packet);
    }
  }
  Heard heard;
  heard.rate_hz = rate_hz;
  std::vector<int16_t> out(frame);
  for (int tick = 0; tick < seconds * 50; ++tick) {
    for (auto at = arrivals.begin(); at != arrivals.end() && at->first <= tick * 20 * kMs + 10 * kMs;
         at = arrivals.erase(at))
      player.put(at->second, *decoder);
    player.get(*decoder, rate_hz, out.data());
    if (tick >= 100) heard.pcm.insert(heard.pcm.end(), out.begin(), out.end());  // while the delay adapts
  }
  heard.stats = player.buffer().stats();
  heard.delay_ms = player.buffer().delay_ms();
  return heard;
}

}  // namespace

TEST_CASE("a clean line has the quality of the codec, for packets of every length") {
  for (const Codec codec : kAllCodecs) {
    for (const uint32_t ms : {10U, 20U, 30U, 60U}) {
      const Heard heard = hear(codec, {.packet_ms = ms}, 4);
      CAPTURE(std::string(format_of(codec).name));
      CAPTURE(ms);
      CHECK(heard.snr() > (codec == Codec::opus ? 25 : 33));
      CHECK(heard.stats.concealed_frames == 0);
      CHECK(heard.stats.late_packets == 0);
    }
  }
}

TEST_CASE("loss of 1, 5 and 20 percent leaves a tone") {
  struct Row {
    Codec codec;
    double loss;
    double limit_db;
  };
  // A few dB below what was measured.
  for (const Row& row : {Row{Codec::pcma, 0.01, 33}, Row{Codec::pcma, 0.05, 28}, Row{Codec::pcma, 0.2, 17},
                         Row{Codec::g722, 0.01, 41}, Row{Codec::g722, 0.05, 36}, Row{Codec::g722, 0.2, 23},
                         Row{Codec::opus, 0.01, 35}, Row{Codec::opus, 0.05, 30}, Row{Codec::opus, 0.2, 17}}) {
    const Heard heard = hear(row.codec, {.loss = row.loss}, 12);
    CAPTURE(std::string(format_of(row.codec).name));
    CAPTURE(row.loss);
    CHECK(heard.snr() > row.limit_db);
  }
}

TEST_CASE("jitter of 80 ms is played out once the delay has grown") {
  for (const bool in_order : {true, false}) {
    for (const Codec codec : kAllCodecs) {
      const Heard heard = hear(codec, {.jitter_us = 80 * kMs, .in_order = in_order}, 12);
      CAPTURE(std::string(format_of(codec).name));
      CAPTURE(in_order);
      CHECK(heard.snr() > 35);
      CHECK(heard.delay_ms <= 100);
      CHECK(heard.stats.resyncs == 0);
    }
  }
}

TEST_CASE("a sender's clock that is 200 ppm off is followed without a break of the stream") {
  for (const double drift_ppm : {200.0, -200.0}) {
    for (const Codec codec : {Codec::pcmu, Codec::opus}) {
      const Heard heard = hear(codec, {.drift_ppm = drift_ppm}, codec == Codec::opus ? 100 : 300);
      CAPTURE(std::string(format_of(codec).name));
      CAPTURE(drift_ppm);
      CHECK(heard.snr() > (codec == Codec::opus ? 25 : 33));
      CHECK(heard.stats.resyncs == 0);
      CHECK(heard.stats.concealed_frames <= 5);  // 60 ms in 300 s, by steps of 20
    }
  }
}

TEST_CASE("a late start of comfort noise, another clock and a restart do no harm") {
  AudioPlayer player({40, 100});
  auto decoder = PacketDecoder::make({{Codec::opus, 96, 96, {}}, {Codec::pcmu, 0, 0, {}}}, 8000);
  REQUIRE(decoder);
  std::vector<int16_t> pcm(160);
  const std::vector<uint8_t> payload(160, 0x10);
  RtpPacket packet;
  packet.payload = payload.data();
  packet.payload_bytes = payload.size();
  for (int i = 0; i < 20; ++i, packet.timestamp += 160) {
    player.put(packet, *decoder);
    player.get(*decoder, 8000, pcm.data());
  }
  CHECK(level_db(pcm.data(), 160) > -20);
  packet.payload_type = 96;  // 48 kHz from now on; the payload is an Opus packet by chance or malformed
  for (int i = 0; i < 20; ++i, packet.timestamp += 960) {
    player.put(packet, *decoder);
    player.get(*decoder, 8000, pcm.data());
  }
  player.restart();
  player.get(*decoder, 8000, pcm.data());
  CHECK(level_db(pcm.data(), 160) < -80);
}
