// When a call that was said goodbye to may be hung up: a turn that had audio is complete and was heard to its
// end. Pure logic on a millisecond clock.
#pragma once

#include <cstdint>

namespace patchbay::lib {

struct FarewellTimes {
  int no_audio_ms = 5000;  // the model says nothing any more
  int total_ms = 15000;
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
  // A silent turn, such as the one that only acknowledges the tool's result, does not count.
  void turn_complete() { complete_ = had_audio_; }
  void connection_lost() { complete_ = true; }

  // True once, when it is time.
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
