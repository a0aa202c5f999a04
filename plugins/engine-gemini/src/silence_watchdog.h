// Detects a model that falls silent, for which the protocol has no error. Pure logic on a millisecond clock.
#pragma once

#include <cstddef>
#include <cstdint>

namespace patchbay::engine_gemini {

struct SilenceWatchdogTimes {
  int first_audio_ms = 6000;  // after the call was answered
  int after_user_ms = 8000;
  int after_tool_ms = 8000;
  int stuck_turn_ms = 20000;      // all audio played, but no turnComplete
  int stuck_generated_ms = 3000;  // the same after generationComplete
  int near_silence_ms = 2000;     // this much inaudible model audio
};

enum class Remedy { none, nudge, fresh_session, give_up, finish_turn };

class SilenceWatchdog {
 public:
  explicit SilenceWatchdog(SilenceWatchdogTimes times = {}) : times_(times) {}

  void call_answered(int64_t now_ms) { expect(now_ms, times_.first_audio_ms); }
  void user_spoke(int64_t now_ms) { expect(now_ms, times_.after_user_ms); }
  void tool_answered(int64_t now_ms) { expect(now_ms, times_.after_tool_ms); }
  void tool_called() { due_ms_ = 0; }  // the model waits for the result
  void audio(int64_t now_ms, const int16_t* samples, size_t count, int rate_hz);
  void generated() { generated_ = true; }
  void turn_ended() { turn_open_ = generated_ = false; }
  void disarm() { due_ms_ = 0; }
  // Skips the nudge for a resumed session: the next remedy is a fresh session.
  void resumed() { steps_ = steps_ < 1 ? 1 : steps_; }

  // Call it often. Returns each remedy once; if it does not help, the next one is stronger.
  Remedy poll(int64_t now_ms, bool drained);
  bool waiting() const { return due_ms_ != 0; }

 private:
  void expect(int64_t now_ms, int within_ms) { due_ms_ = now_ms + within_ms; }

  const SilenceWatchdogTimes times_;
  int64_t due_ms_ = 0;
  int64_t last_audio_ms_ = 0;
  int64_t quiet_ms_ = 0;
  int steps_ = 0;
  bool turn_open_ = false;
  bool generated_ = false;
};

}  // namespace patchbay::engine_gemini
