#include "engine/caller_audio.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <thread>
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

TEST_CASE("caller audio: the oldest frames are dropped while the engine's thread does not read") {
  CallerAudio audio;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 200; ++i) CHECK(push_frame(audio, 1000 + i));
    CHECK(audio.take_dropped_ms() == (200 - 64) * CallerAudio::kFrameMs);
    for (int i = 200 - 64; i < 200; ++i) {
      REQUIRE(audio.front() != nullptr);
      CHECK((*audio.front())[100] == 1000 + i);
      audio.pop();
    }
    CHECK(audio.front() == nullptr);
  }
}

TEST_CASE("caller audio: a frame that is being read is neither changed nor dropped") {
  CallerAudio audio;
  push_frame(audio, 1);
  const CallerAudio::Frame* const first = audio.front();
  REQUIRE(first != nullptr);
  for (int i = 2; i < 200; ++i) push_frame(audio, i);
  CHECK(audio.front() == first);
  CHECK((*first)[100] == 1);
  audio.pop();
  REQUIRE(audio.front() != nullptr);
  CHECK((*audio.front())[100] == 200 - 64);
}

TEST_CASE("caller audio: two threads lose no frame that is not counted, and none arrives out of order") {
  constexpr int kPushed = 30'000;
  CallerAudio audio;
  std::thread media([&audio] {
    for (int i = 0; i < kPushed; ++i) {
      push_frame(audio, i);
      if (i % 100 == 0) std::this_thread::yield();
    }
  });
  int last = -1, received = 0;
  bool in_order = true;
  int64_t dropped_ms = 0;
  const auto read = [&] {
    for (const CallerAudio::Frame* frame; (frame = audio.front()) != nullptr; audio.pop(), ++received) {
      in_order &= (*frame)[100] > last;
      last = (*frame)[100];
    }
    dropped_ms += audio.take_dropped_ms();
  };
  while (last != kPushed - 1) read();
  media.join();
  read();
  CHECK(in_order);
  CHECK(received + dropped_ms / CallerAudio::kFrameMs == kPushed);
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
