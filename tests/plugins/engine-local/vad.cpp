#include "vad.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace patchbay::lib;
using namespace patchbay::engine_local;

namespace {

CallerAudio::Frame level(int amplitude) {
  CallerAudio::Frame frame;
  for (size_t i = 0; i < frame.size(); ++i)
    frame[i] = static_cast<int16_t>(amplitude * std::sin(static_cast<double>(i) * 0.3));
  return frame;
}

}  // namespace

TEST_CASE("an utterance starts after 120 ms of sound and ends after 600 ms of silence") {
  Vad vad;
  for (int i = 0; i < 50; ++i) CHECK(vad.push(level(20)) == Vad::Event::none);
  for (int i = 0; i < 5; ++i) CHECK(vad.push(level(5000)) == Vad::Event::none);
  CHECK(vad.push(level(5000)) == Vad::Event::started);
  CHECK(vad.speaking());
  for (int i = 0; i < 20; ++i) vad.push(level(5000));
  for (int i = 0; i < 29; ++i) CHECK(vad.push(level(20)) == Vad::Event::none);
  CHECK(vad.push(level(20)) == Vad::Event::ended);
  CHECK(!vad.speaking());
}

TEST_CASE("steady noise raises the noise floor, and clicks are not speech") {
  Vad vad;
  int started = 0;
  for (int i = 0; i < 1500; ++i)
    if (vad.push(level(300)) == Vad::Event::started) ++started;
  CHECK(started <= 1);
  for (int i = 0; i < 5; ++i) CHECK(vad.push(level(300)) == Vad::Event::none);
  Vad clicks;
  for (int i = 0; i < 100; ++i) CHECK(clicks.push(level(i % 10 == 0 ? 8000 : 0)) == Vad::Event::none);
}

TEST_CASE("an endless utterance is cut at 15 s") {
  Vad vad;
  int frames = 0;
  while (vad.push(level(frames % 2 == 0 ? 8000 : 20)) != Vad::Event::ended && frames < 2000) ++frames;
  CHECK(frames < 770);
}
