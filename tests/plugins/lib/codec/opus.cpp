#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "codec/codec.h"
#include "support/tone.h"

using namespace patchbay::lib;
using namespace patchbay::support;

namespace {

constexpr size_t kFrame = 960;  // 20 ms

// Something like syllables, because FEC protects voiced speech: pulses of a gliding pitch, four times a
// second.
std::vector<int16_t> syllables(size_t frames) {
  std::vector<int16_t> pcm(frames * kFrame);
  double phase = 0;
  for (size_t i = 0; i < pcm.size(); ++i) {
    const double t = static_cast<double>(i) / 48000;
    phase += (130 + 40 * std::sin(3 * t)) / 48000;
    const double envelope = std::max(0.0, std::sin(2 * std::numbers::pi * 4 * t));
    const double formant = 500 + 300 * std::sin(5 * t);
    const double since_pulse = (phase - std::floor(phase)) / 130;
    pcm[i] = static_cast<int16_t>(12000 * envelope * std::exp(-400 * since_pulse) *
                                  std::sin(2 * std::numbers::pi * formant * since_pulse));
  }
  return pcm;
}

std::vector<std::vector<uint8_t>> encode_voice(const OpusOptions& options, size_t frames) {
  const auto encoder = *make_encoder(Codec::opus, options);
  const auto pcm = syllables(frames);
  std::vector<std::vector<uint8_t>> sent;
  for (size_t i = 0; i < frames; ++i) {
    std::vector<uint8_t> payload(kMaxPayloadBytes);
    payload.resize(encoder->encode(pcm.data() + i * kFrame, kFrame, payload.data(), payload.size()));
    sent.push_back(payload);
  }
  return sent;
}

size_t bytes_of(const std::vector<std::vector<uint8_t>>& packets) {
  size_t sum = 0;
  for (const auto& packet : packets) sum += packet.size();
  return sum;
}

// Returns the level of the difference between frames that were lost and the same when nothing is lost.
double error_db(const std::vector<std::vector<uint8_t>>& sent, bool with_next) {
  const auto whole = *make_decoder(Codec::opus);
  const auto lossy = *make_decoder(Codec::opus);
  std::vector<int16_t> difference, a(kFrame), b(kFrame);
  for (size_t i = 0; i < sent.size(); ++i) {
    CHECK(whole->decode(sent[i].data(), sent[i].size(), a.data(), a.size()) == kFrame);
    if (i % 10 == 9 && i + 1 < sent.size()) {
      lossy->conceal(b.data(), kFrame, with_next ? sent[i + 1].data() : nullptr,
                     with_next ? sent[i + 1].size() : 0);
      for (size_t s = 0; s < kFrame; ++s) difference.push_back(static_cast<int16_t>((a[s] - b[s]) / 2));
    } else {
      CHECK(lossy->decode(sent[i].data(), sent[i].size(), b.data(), b.size()) == kFrame);
    }
  }
  return level_db(difference.data(), difference.size());
}

}  // namespace

TEST_CASE("a lost packet of Opus is recovered from the next one") {
  const auto sent = encode_voice({}, 200);
  CHECK(error_db(sent, true) < error_db(sent, false) - 5);  // 9 dB when measured
}

TEST_CASE("a peer that does not use FEC gets none") {
  OpusOptions options;
  options.fec = false;
  const auto sent = encode_voice(options, 200);
  CHECK(error_db(sent, true) > error_db(encode_voice({}, 200), true));
}

TEST_CASE("the bit rate keeps the peer's limit, and can be constant") {
  OpusOptions options;
  CHECK(bytes_of(encode_voice(options, 100)) < 10'000);  // 2 s at 32 kbit/s are 8000 octets
  options.max_bit_rate = 12000;
  CHECK(bytes_of(encode_voice(options, 100)) < 3800);
  options.constant_bit_rate = true;
  const auto sent = encode_voice(options, 100);
  for (const auto& packet : sent) CHECK(packet.size() == sent.front().size());
}

TEST_CASE("stereo is heard as mono, and packets of every length are decoded") {
  const auto decoder = *make_decoder(Codec::opus);
  std::vector<int16_t> pcm(kMaxPacketSamples);
  // Table of contents alone: a packet of one lost frame in each configuration of RFC 6716 section 3.1.
  for (int config = 0; config < 32; ++config) {
    const uint8_t mono = static_cast<uint8_t>(config << 3);
    const uint8_t stereo = static_cast<uint8_t>(config << 3 | 4);
    CHECK(decoder->decode(&mono, 1, pcm.data(), pcm.size()) >= 120);
    CHECK(decoder->decode(&stereo, 1, pcm.data(), pcm.size()) >= 120);
  }
}

TEST_CASE("a gap of any length is concealed") {
  const auto decoder = *make_decoder(Codec::opus);
  const auto sent = encode_voice({}, 2);
  std::vector<int16_t> pcm(kMaxPacketSamples, 1);
  CHECK(decoder->decode(sent[0].data(), sent[0].size(), pcm.data(), pcm.size()) == kFrame);
  for (const size_t samples : {size_t{1}, size_t{119}, size_t{500}, size_t{961}, size_t{5760}})
    decoder->conceal(pcm.data(), samples, sent[1].data(), sent[1].size());
  decoder->conceal(pcm.data(), 960, sent[1].data(), 0);
  CHECK(decoder->decode(sent[1].data(), sent[1].size(), pcm.data(), pcm.size()) == kFrame);
}
