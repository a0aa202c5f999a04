// UnsentAudio: caller audio that waits for the socket. Keeps about a second and drops the oldest beyond it,
// because late speech disturbs a conversation more than missing speech. io thread.
#pragma once

#include <deque>
#include <memory>
#include <utility>

#include "engine/caller_audio.h"
#include "engine/engine_stats.h"

namespace patchbay::engine_gemini {

class UnsentAudio {
 public:
  using Frame = lib::CallerAudio::Frame;

  // `stats`: counts what waits and what was dropped; shared with the engine and its other conversations.
  explicit UnsentAudio(std::shared_ptr<lib::EngineStats> stats) : stats_(std::move(stats)) {}

  void push(const Frame& frame);
  // Returns the oldest frame, valid until the next call; null: none.
  const Frame* front() const { return frames_.empty() ? nullptr : &frames_.front(); }
  void pop();
  // Drops what waits, without counting it as dropped.
  void clear();

  // Counts audio that was lost before it came here.
  void count_dropped(int64_t ms);
  int64_t dropped_ms() const { return dropped_ms_; }

 private:
  const std::shared_ptr<lib::EngineStats> stats_;
  std::deque<Frame> frames_;  // the oldest first
  int64_t dropped_ms_ = 0;
};

}  // namespace patchbay::engine_gemini
