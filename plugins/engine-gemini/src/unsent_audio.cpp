#include "unsent_audio.h"

#include "gemini_limits.h"

namespace patchbay::engine_gemini {

void UnsentAudio::push(const Frame& frame) {
  if (frames_.size() == kMaxUnsentFrames) {
    pop();
    count_dropped(lib::CallerAudio::kFrameMs);
  }
  frames_.push_back(frame);
  stats_->queued_ms.fetch_add(lib::CallerAudio::kFrameMs, std::memory_order_relaxed);
}

void UnsentAudio::pop() {
  frames_.pop_front();
  stats_->queued_ms.fetch_sub(lib::CallerAudio::kFrameMs, std::memory_order_relaxed);
}

void UnsentAudio::clear() {
  while (!frames_.empty()) pop();
}

void UnsentAudio::count_dropped(int64_t ms) {
  dropped_ms_ += ms;
  stats_->dropped_ms.fetch_add(ms, std::memory_order_relaxed);
}

}  // namespace patchbay::engine_gemini
