#include "silence_watchdog.h"

namespace patchbay::engine_gemini {

void SilenceWatchdog::audio(int64_t now_ms, const int16_t* samples, size_t count, int rate_hz) {
  turn_open_ = true;
  last_audio_ms_ = now_ms;
  bool audible = false;
  for (size_t i = 0; i < count && !audible; ++i)
    audible = samples[i] > kAudiblePeak || samples[i] < -kAudiblePeak;
  if (!audible) {
    quiet_ms_ += static_cast<int64_t>(count) * 1000 / rate_hz;
    return;
  }
  quiet_ms_ = 0;
  due_ms_ = 0;
  steps_ = 0;
}

SilenceAction SilenceWatchdog::poll(int64_t now_ms, bool drained) {
  if (quiet_ms_ >= times_.near_silence_ms) {
    quiet_ms_ = 0;
    return ++steps_ > 2 ? SilenceAction::give_up : SilenceAction::fresh_session;
  }
  if (due_ms_ != 0 && now_ms >= due_ms_) {
    due_ms_ = now_ms + times_.after_user_ms;
    switch (++steps_) {
      case 1:
        return SilenceAction::nudge;
      case 2:
        return SilenceAction::fresh_session;
      default:
        due_ms_ = 0;
        return SilenceAction::give_up;
    }
  }
  int stuck_ms = generated_ ? times_.stuck_generated_ms : times_.stuck_turn_ms;
  if (turn_open_ && drained && now_ms - last_audio_ms_ >= stuck_ms) {
    turn_ended();
    return SilenceAction::finish_turn;
  }
  return SilenceAction::none;
}

}  // namespace patchbay::engine_gemini
