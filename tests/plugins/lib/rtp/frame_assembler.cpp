#include "rtp/frame_assembler.h"

#include <doctest/doctest.h>

#include <vector>

using patchbay::lib::FrameAssembler;

namespace {

constexpr size_t kFrameLength = 160;
constexpr int64_t kTick = 20'000'000;

struct FrameListener {
  FrameListener() {
    assembler.begin(
        8000,
        [](void* user, const FrameAssembler::Frame& frame) {
          auto& self = *static_cast<FrameListener*>(user);
          CHECK(frame.samples == kFrameLength);
          self.heard.insert(self.heard.end(), frame.pcm, frame.pcm + frame.samples);
          self.silent += frame.is_silence ? 1 : 0;
        },
        this);
  }
  void append(int16_t value, size_t samples = kFrameLength) {
    const std::vector<int16_t> pcm(samples, value);
    assembler.append(pcm.data(), samples, now_ns);
  }
  void tick(int count = 1) {
    for (int i = 0; i < count; ++i) assembler.tick(now_ns += kTick);
  }
  size_t frames() const { return heard.size() / kFrameLength; }

  FrameAssembler assembler;
  std::vector<int16_t> heard;
  size_t silent = 0;
  int64_t now_ns = kTick;
};

}  // namespace

TEST_CASE("audio of 10, 20, 30 and 60 ms becomes frames of 20 ms") {
  for (const size_t samples : {size_t{80}, size_t{160}, size_t{240}, size_t{480}}) {
    FrameListener listener;
    for (int16_t n = 0; n < 10; ++n) listener.append(static_cast<int16_t>(n + 1), samples);
    REQUIRE(listener.heard.size() == 10 * samples / kFrameLength * kFrameLength);
    for (size_t i = 0; i < listener.heard.size(); ++i)
      CHECK(listener.heard[i] == static_cast<int16_t>(i / samples + 1));
  }
}

TEST_CASE("concealed audio is passed on and counted") {
  FrameListener listener;
  listener.append(1000);
  const std::vector<int16_t> concealed(kFrameLength / 2, 7);
  for (int i = 0; i < 5; ++i) listener.assembler.append_concealed(concealed.data(), concealed.size());
  CHECK(listener.frames() == 3);
  CHECK(listener.heard.back() == 7);
  CHECK(listener.assembler.stats().concealed_frames == 2);
}

TEST_CASE("a sender that has stopped is silence after 200 ms, and one that has not begun at once") {
  FrameListener listener;
  listener.tick(5);
  CHECK(listener.silent == 5);
  listener.append(7);
  listener.tick(9);
  CHECK(listener.frames() == 6);
  listener.tick(41);
  CHECK(listener.silent == 46);
  listener.append(7);
  CHECK(listener.heard.back() == 7);
}

TEST_CASE("whether audio would be passed on is known before it is decoded") {
  FrameListener listener;
  CHECK(listener.assembler.takes(50 * kFrameLength));
  CHECK_FALSE(listener.assembler.takes(51 * kFrameLength));
  for (int n = 0; n < 50; ++n) listener.append(3);
  CHECK_FALSE(listener.assembler.takes(kFrameLength));
  CHECK(listener.assembler.takes(kFrameLength - 1));  // no whole frame
  listener.assembler.drop(3 * kFrameLength);
  CHECK(listener.assembler.stats().dropped_frames == 3);
  listener.tick();
  CHECK(listener.assembler.takes(kFrameLength));
}

TEST_CASE("a sender that is much faster than its audio lasts is limited to a second ahead") {
  FrameListener listener;
  for (int n = 0; n < 500; ++n) listener.append(3);
  CHECK(listener.frames() == 50);
  CHECK(listener.assembler.stats().dropped_frames == 450);
  listener.tick(9);  // nine frames, and a little more for a fast clock
  for (int n = 0; n < 20; ++n) listener.append(3);
  CHECK(listener.frames() == 59);
}

TEST_CASE("a clock that is 4 percent fast loses nothing") {
  FrameListener listener;
  for (int n = 0; n < 5200; ++n) {
    listener.append(3);
    if (n % 26 != 25) listener.tick();
  }
  CHECK(listener.frames() == 5200);
  CHECK(listener.assembler.stats().dropped_frames == 0);
}

TEST_CASE("nothing is passed on after the end") {
  FrameListener listener;
  listener.append(1, 100);
  listener.assembler.end();
  listener.append(1);
  const std::vector<int16_t> concealed(kFrameLength);
  listener.assembler.append_concealed(concealed.data(), concealed.size());
  listener.tick(20);
  CHECK(listener.frames() == 0);
}
