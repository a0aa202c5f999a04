#include "codec/comfort_noise.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "support/tone.h"

using namespace patchbay::lib;
using namespace patchbay::support;

namespace {

std::vector<int16_t> noise_of(const NoiseDescription& description, size_t samples = 16000) {
  NoiseGenerator generator(1);
  generator.set(description);
  std::vector<int16_t> pcm(samples);
  generator.generate(pcm.data(), pcm.size());
  return pcm;
}

}  // namespace

TEST_CASE("noise has the level that the packet says") {
  for (const uint8_t level : {uint8_t{20}, uint8_t{40}, uint8_t{60}}) {
    const auto noise = read_comfort_noise(&level, 1);
    REQUIRE(noise);
    const auto pcm = noise_of(*noise);
    CHECK(std::abs(level_db(pcm.data(), pcm.size()) + level) < 1);
  }
}

TEST_CASE("noise has the spectrum that the packet says") {
  NoiseDescription low;
  low.level = 30;
  low.order = 2;
  low.reflection = {-0.8F, 0.3F};
  const auto pcm = noise_of(low);
  CHECK(std::abs(level_db(pcm.data(), pcm.size()) + 30) < 1.5);
  const auto described = describe_noise(pcm.data(), pcm.size(), 2);
  CHECK(std::abs(described.level - 30) <= 1);
  CHECK(std::abs(described.reflection[0] + 0.8F) < 0.05F);
  CHECK(std::abs(described.reflection[1] - 0.3F) < 0.05F);
}

TEST_CASE("a description survives the wire") {
  const auto pcm = noise_of({35, 1, {0.5F}});
  const auto sent = describe_noise(pcm.data(), pcm.size(), 10);
  uint8_t wire[11];
  CHECK(write_comfort_noise(sent, wire, 10) == 0);
  REQUIRE(write_comfort_noise(sent, wire, sizeof(wire)) == 11);
  const auto received = read_comfort_noise(wire, sizeof(wire));
  REQUIRE(received);
  CHECK(received->level == sent.level);
  CHECK(received->order == 10);
  for (size_t i = 0; i < 10; ++i) CHECK(std::abs(received->reflection[i] - sent.reflection[i]) < 1e-6F);
}

TEST_CASE("bad packets of comfort noise do no harm") {
  CHECK_FALSE(read_comfort_noise(nullptr, 0));
  const std::vector<uint8_t> reserved{30, 127, 255, 100};
  CHECK(read_comfort_noise(reserved.data(), reserved.size())->order == 1);
  const std::vector<uint8_t> extreme(200, 254);  // all coefficients next to 1
  const auto noise = read_comfort_noise(extreme.data(), extreme.size());
  REQUIRE(noise);
  CHECK(noise->order == NoiseDescription::kMaxOrder);
  const auto pcm = noise_of(*noise);
  CHECK(level_db(pcm.data(), pcm.size()) <= 0);
}

TEST_CASE("silence is described as silence") {
  const std::vector<int16_t> silence(160);
  const auto noise = describe_noise(silence.data(), silence.size(), 10);
  CHECK(noise.level == 127);
  const auto pcm = noise_of(noise);
  CHECK(level_db(pcm.data(), pcm.size()) < -95);
}
