#include "codec/g711.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <initializer_list>
#include <vector>

using namespace patchbay::lib;

namespace {

uint8_t encode(G711 law, int16_t sample) {
  uint8_t code = 0;
  g711_encode(law, &sample, 1, &code);
  return code;
}

int16_t decode(G711 law, uint8_t code) {
  int16_t sample = 0;
  g711_decode(law, &code, 1, &sample);
  return sample;
}

// The code by the segments of the recommendation, one step after the other, as a reference.
uint8_t encode_simply(G711 law, int sample) {
  const bool is_mu = law == G711::mu_law;
  const bool negative = sample < 0;
  int magnitude = !negative ? sample : is_mu ? -sample : -sample - 1;
  if (is_mu) magnitude = std::min(magnitude, 32635) + 0x84;
  int segment = 0;
  while (segment < 7 && magnitude >= 256 << segment) ++segment;
  const int step = magnitude >> (is_mu || segment > 0 ? segment + 3 : 4) & 0x0F;
  const int code = segment << 4 | step;
  return static_cast<uint8_t>(is_mu ? ~(code | (negative ? 0x80 : 0))
                                    : (code | (negative ? 0 : 0x80)) ^ 0x55);
}

}  // namespace

TEST_CASE("known values of the mu-law table") {
  CHECK(decode(G711::mu_law, 0xFF) == 0);
  CHECK(decode(G711::mu_law, 0x7F) == 0);
  CHECK(decode(G711::mu_law, 0x00) == -32124);
  CHECK(decode(G711::mu_law, 0x80) == 32124);
  CHECK(decode(G711::mu_law, 0xFE) == 8);
  CHECK(decode(G711::mu_law, 0xEF) == 132);
  CHECK(encode(G711::mu_law, 0) == 0xFF);
  CHECK(encode(G711::mu_law, 32767) == 0x80);
  CHECK(encode(G711::mu_law, -32768) == 0x00);
}

TEST_CASE("known values of the A-law table") {
  CHECK(decode(G711::a_law, 0xD5) == 8);
  CHECK(decode(G711::a_law, 0x55) == -8);
  CHECK(decode(G711::a_law, 0xAA) == 32256);
  CHECK(decode(G711::a_law, 0x2A) == -32256);
  CHECK(encode(G711::a_law, 0) == 0xD5);
  CHECK(encode(G711::a_law, -1) == 0x55);
  CHECK(encode(G711::a_law, 32767) == 0xAA);
  CHECK(encode(G711::a_law, -32768) == 0x2A);
}

TEST_CASE("every code survives decode and encode") {
  for (int code = 0; code < 256; ++code) {
    const auto byte = static_cast<uint8_t>(code);
    // Mu-law has two zeros; the negative one encodes as the positive.
    if (byte != 0x7F) CHECK(encode(G711::mu_law, decode(G711::mu_law, byte)) == byte);
    CHECK(encode(G711::a_law, decode(G711::a_law, byte)) == byte);
  }
}

TEST_CASE("every sample comes back within its segment's step") {
  for (G711 law : {G711::mu_law, G711::a_law}) {
    int worst = 0;
    for (int sample = -32768; sample <= 32767; ++sample) {
      const int back = decode(law, encode(law, static_cast<int16_t>(sample)));
      const int allowed = std::abs(sample) / 16 + 16;
      if (std::abs(back - sample) > allowed && std::abs(sample) < 32124)
        worst = std::max(worst, std::abs(back - sample) - allowed);
    }
    CHECK(worst == 0);
  }
}

TEST_CASE("every sample is encoded as by the segments of the recommendation") {
  for (G711 law : {G711::mu_law, G711::a_law}) {
    std::vector<int16_t> pcm;
    for (int sample = -32768; sample <= 32767; ++sample) pcm.push_back(static_cast<int16_t>(sample));
    std::vector<uint8_t> codes(pcm.size());
    g711_encode(law, pcm.data(), pcm.size(), codes.data());
    int wrong = 0;
    for (size_t i = 0; i < pcm.size(); ++i) wrong += codes[i] == encode_simply(law, pcm[i]) ? 0 : 1;
    CHECK(wrong == 0);
  }
}

TEST_CASE("any number of samples is encoded, and nothing behind them is written") {
  std::vector<int16_t> pcm(50);
  for (size_t i = 0; i < pcm.size(); ++i) pcm[i] = static_cast<int16_t>(i * 1301);
  for (size_t count = 0; count <= pcm.size(); ++count) {
    std::vector<uint8_t> codes(pcm.size() + 1, 1);
    g711_encode(G711::a_law, pcm.data(), count, codes.data());
    for (size_t i = 0; i < codes.size(); ++i)
      CHECK(codes[i] == (i < count ? encode_simply(G711::a_law, pcm[i]) : 1));
  }
}
