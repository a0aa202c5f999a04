#include "barge_in.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace patchbay::engine_local;

namespace {

constexpr int kFrameMs = 20;

// A caller who speaks or is silent, 20 ms at a time.
struct Speaker {
  Vad vad;
  BargeIn barge_in;

  // Returns after how many milliseconds the engine was interrupted; -1: never.
  int speak(int ms, bool engine_speaks) {
    patchbay::lib::CallerAudio::Frame frame{};
    for (size_t i = 0; i < frame.size(); ++i)
      frame[i] = static_cast<int16_t>(8000 * std::sin(2 * 3.14159 * 440 * static_cast<double>(i) / 16000));
    int interrupted_ms = -1;
    for (int at = kFrameMs; at <= ms; at += kFrameMs) {
      vad.push(frame);
      if (barge_in.interrupts(vad, engine_speaks)) {
        CHECK(interrupted_ms == -1);  // once per utterance
        interrupted_ms = at;
      }
    }
    return interrupted_ms;
  }
  void be_silent(int ms) {
    for (int at = 0; at < ms; at += kFrameMs) {
      if (vad.push({}) == Vad::Event::ended) barge_in.utterance_ended();
    }
  }
};

}  // namespace

TEST_CASE("speech of the caller interrupts the engine once per utterance") {
  Speaker caller;
  CHECK(caller.speak(1000, true) == kBargeInMs);
  CHECK(caller.speak(1000, true) == -1);
  caller.be_silent(2000);
  CHECK(caller.speak(1000, true) == kBargeInMs);
}

TEST_CASE("a short sound, and speech while the engine is silent, interrupt nothing") {
  Speaker caller;
  CHECK(caller.speak(kBargeInMs - kFrameMs, true) == -1);
  caller.be_silent(2000);
  CHECK(caller.speak(1000, false) == -1);
}
