// BargeIn: decides when the caller's speech interrupts the engine. Pure logic, on the thread of the
// conversation.
#pragma once

#include "vad.h"

namespace patchbay::engine_local {

inline constexpr int kBargeInMs = 200;  // this much speech of the caller interrupts the engine

class BargeIn {
 public:
  // After each frame that `vad` was given. Returns true once per utterance: interrupt the engine now.
  bool interrupts(const Vad& vad, bool engine_speaks) {
    if (done_ || !engine_speaks || !vad.speaking() || vad.voiced_ms() < kBargeInMs) return false;
    done_ = true;
    return true;
  }
  void utterance_ended() { done_ = false; }

 private:
  bool done_ = false;  // the current utterance has interrupted the engine
};

}  // namespace patchbay::engine_local
