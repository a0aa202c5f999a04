#include "codec/g722.h"

#include <doctest/doctest.h>
#include <inttypes.h>

#include <random>
#include <vector>

#include "codec/codec.h"
extern "C" {
#include <spandsp/telephony.h>
// telephony.h declares what the next one uses.
#include <spandsp/g722.h>
}
#include "support/tone.h"

using namespace patchbay::lib;
using namespace patchbay::support;

TEST_CASE("G.722 carries what G.711 cannot: 6 kHz") {
  const auto encoder = *make_encoder(Codec::g722);
  const auto decoder = *make_decoder(Codec::g722);
  const auto pcm = make_tone(6000, 16000, 16000);
  std::vector<uint8_t> wire(8000);
  REQUIRE(encoder->encode(pcm.data(), pcm.size(), wire.data(), wire.size()) == 8000);
  std::vector<int16_t> heard(16000);
  REQUIRE(decoder->decode(wire.data(), wire.size(), heard.data(), heard.size()) == 16000);
  CHECK(snr_db(heard.data() + 1600, 14400, 6000, 16000) > 10);
}

TEST_CASE("G.722 needs an even number of samples") {
  const auto encoder = *make_encoder(Codec::g722);
  const int16_t pcm[3] = {};
  uint8_t out[8];
  CHECK(encoder->encode(pcm, 3, out, sizeof(out)) == 0);
  CHECK(encoder->encode(pcm, 2, out, sizeof(out)) == 1);
}

namespace {

// Tones that move through the spectrum, noise, full scale and silence.
std::vector<int16_t> all_sorts(size_t samples) {
  std::mt19937 random(3);
  std::vector<int16_t> pcm(samples);
  for (size_t i = 0; i < samples; ++i) {
    const size_t part = i * 8 / samples;
    const auto noise = static_cast<int>(random() % 65536) - 32768;
    const double sweep = std::sin(1e-5 * static_cast<double>(i) * static_cast<double>(i));
    pcm[i] = static_cast<int16_t>(part == 0   ? 0
                                  : part == 1 ? noise
                                  : part == 2 ? noise / 64
                                  : part == 3 ? 32767 * sweep
                                  : part == 4 ? 500 * sweep
                                  : part == 5 ? (i / 20 % 2 == 0 ? 32767 : -32768)
                                  : part == 6 ? 8000 * sweep + noise / 16
                                              : i % 4000 / 10);
  }
  return pcm;
}

}  // namespace

TEST_CASE("G.722 octets and samples are those of spandsp, bit by bit") {
  const auto pcm = all_sorts(160000);
  std::vector<uint8_t> ours(80000), theirs(80000);
  G722Codes encoder;
  encoder.encode(pcm.data(), pcm.size(), ours.data());
  g722_encode_state_t* reference = g722_encode_init(nullptr, 64000, 0);
  CHECK(g722_encode(reference, theirs.data(), pcm.data(), 160000) == 80000);
  g722_encode_free(reference);
  CHECK(ours == theirs);

  std::mt19937 random(4);  // then octets that no encoder sends
  for (size_t i = 60000; i < ours.size(); ++i) ours[i] = static_cast<uint8_t>(random());
  std::vector<int16_t> heard(160000), expected(160000);
  G722Codes decoder;
  decoder.decode(ours.data(), ours.size(), heard.data());
  g722_decode_state_t* other = g722_decode_init(nullptr, 64000, 0);
  CHECK(g722_decode(other, expected.data(), ours.data(), 80000) == 160000);
  g722_decode_free(other);
  // spandsp 0.0.6 wraps samples that overflow; the recommendation limits them.
  for (size_t i = 0; i < heard.size(); ++i)
    if (heard[i] != 32767 && heard[i] != -32768) CHECK(heard[i] == expected[i]);
}
