#include "model_audio.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace patchbay::engine_gemini;

namespace {

AudioPart part(std::string bytes, int rate_hz = 24000) { return {rate_hz, std::move(bytes)}; }

}  // namespace

TEST_CASE("audio: little-endian samples") {
  ModelAudio audio(24000);
  CHECK(audio.decode(part(std::string("\x01\x00\x00\x80", 4))) == std::vector<int16_t>{1, -32768});
  CHECK(audio.decode(part("")).empty());
}

TEST_CASE("audio: a sample may be split between two parts of a turn") {
  ModelAudio audio(24000);
  CHECK(audio.decode(part(std::string("\x01\x00\x02", 3))) == std::vector<int16_t>{1});
  CHECK(audio.decode(part(std::string("\x00", 1))) == std::vector<int16_t>{2});
  CHECK(audio.decode(part(std::string("\x03", 1))).empty());
  audio.end_turn();
  CHECK(audio.decode(part(std::string("\x04\x00", 2))) == std::vector<int16_t>{4});
}

TEST_CASE("audio: another rate is resampled") {
  ModelAudio audio(24000);
  size_t samples = 0;
  for (int i = 0; i < 50; ++i) samples += audio.decode(part(std::string(640, '\0'), 16000)).size();
  CHECK(samples > 23'500);  // one second, less the filter's delay
  CHECK(samples <= 24'000);
}
