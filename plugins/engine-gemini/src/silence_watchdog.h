// Detects a model that falls silent, for which the protocol has no error. Pure logic on a millisecond clock.
#pragma once

#include <cstddef>
#include <cstdint>

namespace patchbay::engine_gemini {

inline constexpr int kFirstAudioMs = 6000;      // after the call was answered
inline constexpr int kAnswerMs = 8000;          // after the caller spoke, or a tool answered
inline constexpr int kStuckTurnMs = 20'000;     // all audio played, but no turnComplete
inline constexpr int kStuckGeneratedMs = 3000;  // the same after generationComplete
inline constexpr int kNearSilenceMs = 2000;     // this much inaudible audio of the model
inline constexpr int kAudiblePeak = 100;        // quieter audio of the model counts as silence

struct SilenceWatchdogTimes {
  int first_audio_ms = kFirstAudioMs;
  int after_user_ms = kAnswerMs;
  int after_tool_ms = kAnswerMs;
  int stuck_turn_ms = kStuckTurnMs;
  int stuck_generated_ms = kStuckGeneratedMs;
  int near_silence_ms = kNearSilenceMs;
};

enum class SilenceAction { none, nudge, fresh_session, give_up, finish_turn };

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
  // Skips the nudge for a resumed session: the next action is a fresh session.
  void resumed() { steps_ = steps_ < 1 ? 1 : steps_; }

  // Call it often. Returns each action once; if it does not help, the next one is stronger.
  SilenceAction poll(int64_t now_ms, bool drained);
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
