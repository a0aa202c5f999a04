#include "engine/caller_audio.h"

#include <doctest/doctest.h>

#include <vector>

using patchbay::lib::CallerAudio;
using patchbay::lib::kSilencePeak;
using patchbay::lib::kSilenceWaitsAfterMs;

namespace {

bool push_frame(CallerAudio& audio, int amplitude) {
  std::vector<int16_t> samples(CallerAudio::kFrameSamples, 0);
  samples[100] = static_cast<int16_t>(amplitude);
  return audio.push(samples.data(), samples.size());
}

size_t take_all(CallerAudio& audio) {
  size_t frames = 0;
  for (; audio.front() != nullptr; audio.pop()) ++frames;
  return frames;
}

}  // namespace

TEST_CASE("caller audio: samples become frames of 20 ms") {
  CallerAudio audio;
  const std::vector<int16_t> samples(500, 7);
  CHECK_FALSE(audio.push(samples.data(), 100));
  CHECK(audio.push(samples.data(), 500));
  CHECK(take_all(audio) == 1);
  CHECK(audio.push(samples.data(), 40));
  CHECK(take_all(audio) == 1);
  for (int i = 0; i < 70; ++i) push_frame(audio, 1000);
  CHECK(audio.take_dropped_ms() == 120);
  CHECK(audio.take_dropped_ms() == 0);
}

TEST_CASE(
    "caller audio: a long silence is handed over in larger pieces, and sound at once with the silence before "
    "it") {
  CallerAudio audio(80);
  const auto silence = [&] { return push_frame(audio, kSilencePeak); };
  for (int64_t ms = 0; ms < kSilenceWaitsAfterMs; ms += CallerAudio::kFrameMs) {
    CHECK(silence());
    CHECK(take_all(audio) == 1);
  }
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 3; ++i) CHECK_FALSE(silence());
    CHECK(silence());
    CHECK(take_all(audio) == 4);
  }
  CHECK_FALSE(silence());
  CHECK_FALSE(silence());
  CHECK(push_frame(audio, -kSilencePeak - 1));
  CHECK(take_all(audio) == 3);
  for (int64_t ms = 0; ms < kSilenceWaitsAfterMs; ms += CallerAudio::kFrameMs) CHECK(silence());
}

TEST_CASE("caller audio: unless it is wanted, silence does not wait") {
  CallerAudio audio;
  for (int i = 0; i < 200; ++i) {
    CHECK(push_frame(audio, 0));
    CHECK(take_all(audio) == 1);
  }
}

TEST_CASE("caller audio: the peak of a frame") {
  CallerAudio::Frame frame{};
  CHECK(CallerAudio::peak(frame) == 0);
  frame[319] = -32768;
  CHECK(CallerAudio::peak(frame) == 32768);
  frame[0] = 32767;
  frame[319] = -5;
  CHECK(CallerAudio::peak(frame) == 32767);
}
