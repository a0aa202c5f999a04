// Notices when the model falls silent, where the protocol has no error for it. Pure logic on a millisecond
// clock.
#pragma once

#include <cstddef>
#include <cstdint>

namespace patchbay::engine_gemini {

struct WatchdogTimes {
  int first_audio_ms = 6000;  // after the call was answered
  int after_user_ms = 8000;
  int after_tool_ms = 8000;
  int stuck_turn_ms = 20000;      // all played, no turnComplete
  int stuck_generated_ms = 3000;  // the same after generationComplete
  int near_silence_ms = 2000;     // so much model audio without any level
};

enum class Remedy { none, nudge, fresh_session, give_up, finish_turn };

class Watchdog {
 public:
  explicit Watchdog(WatchdogTimes times = {}) : times_(times) {}

  void begun(int64_t now_ms) { expect(now_ms, times_.first_audio_ms); }
  void user_spoke(int64_t now_ms) { expect(now_ms, times_.after_user_ms); }
  void tool_answered(int64_t now_ms) { expect(now_ms, times_.after_tool_ms); }
  void tool_called() { due_ms_ = 0; }  // the next move is ours
  void audio(int64_t now_ms, const int16_t* samples, size_t count, int rate_hz);
  void generated() { generated_ = true; }
  void turn_ended() { turn_open_ = generated_ = false; }
  void off() { due_ms_ = 0; }
  // A resumed session that stays mute is not nudged again but replaced.
  void resumed() { steps_ = steps_ < 1 ? 1 : steps_; }

  // Call it often. Each remedy is named once; without success the next one is stronger.
  Remedy poll(int64_t now_ms, bool drained);
  bool waiting() const { return due_ms_ != 0; }

 private:
  void expect(int64_t now_ms, int within_ms) { due_ms_ = now_ms + within_ms; }

  const WatchdogTimes times_;
  int64_t due_ms_ = 0;
  int64_t last_audio_ms_ = 0;
  int64_t quiet_ms_ = 0;
  int steps_ = 0;
  bool turn_open_ = false;
  bool generated_ = false;
};

}  // namespace patchbay::engine_gemini
