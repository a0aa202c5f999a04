#include "g711/g711.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <initializer_list>

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
