// Decides when to hang up after the goodbye: when a turn with audio is complete and was played to its end, or
// after a timeout. Pure logic on a millisecond clock.
#pragma once

#include <cstdint>

#include "engine/limits.h"

namespace patchbay::lib {

struct FarewellTimes {
  int no_audio_ms = kFarewellNoAudioMs;
  int total_ms = kFarewellTotalMs;
};

class Farewell {
 public:
  explicit Farewell(FarewellTimes times = {}) : times_(times) {}

  void start(int64_t now_ms) {
    if (state_ != State::off) return;
    state_ = State::waiting;
    started_ms_ = now_ms;
  }
  bool active() const { return state_ == State::waiting; }

  void audio() { had_audio_ = active() || had_audio_; }
  // Ignores silent turns, such as the acknowledgement of a tool's result.
  void turn_complete() { complete_ = had_audio_; }
  void connection_lost() { complete_ = true; }

  // Returns true once, when it is time to hang up. `drained`: the caller has heard all audio.
  bool poll(int64_t now_ms, bool drained) {
    if (!active()) return false;
    int64_t waited = now_ms - started_ms_;
    bool done = (complete_ && drained) || waited >= times_.total_ms ||
                (!had_audio_ && drained && waited >= times_.no_audio_ms);
    if (done) state_ = State::done;
    return done;
  }

 private:
  enum class State { off, waiting, done };
  const FarewellTimes times_;
  State state_ = State::off;
  int64_t started_ms_ = 0;
  bool had_audio_ = false;
  bool complete_ = false;
};

}  // namespace patchbay::lib
