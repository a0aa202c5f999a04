#include "vad.h"

#include <algorithm>
#include <cmath>

namespace patchbay::engine_local {
namespace {

constexpr int kFrameMs = 20;
constexpr int kMaxGapMs = 60;  // a shorter pause inside a word does not reset the start of an utterance

double level_dbfs(const lib::CallerAudio::Frame& frame) {
  double sum = 0;
  for (int16_t sample : frame) sum += double{static_cast<double>(sample)} * sample;
  double rms = std::sqrt(sum / static_cast<double>(frame.size()));
  return rms < 1 ? -96 : 20 * std::log10(rms / 32768);
}

}  // namespace

Vad::Event Vad::push(const lib::CallerAudio::Frame& frame) {
  double level = level_dbfs(frame);
  bool voiced = level > std::max(floor_db_ + options_.margin_db, options_.gate_dbfs);
  // The noise floor falls at once but rises only 3 dB per second, so that speech does not raise it much.
  floor_db_ = level < floor_db_ ? std::max(level, -70.0) : std::min(floor_db_ + 0.06, -30.0);
  if (voiced) {
    voiced_ms_ += kFrameMs;
    quiet_ms_ = 0;
  } else {
    quiet_ms_ += kFrameMs;
  }
  if (!speaking_) {
    if (quiet_ms_ > kMaxGapMs) voiced_ms_ = 0;
    if (voiced_ms_ < options_.start_ms) return Event::none;
    speaking_ = true;
    length_ms_ = voiced_ms_;
    return Event::started;
  }
  length_ms_ += kFrameMs;
  if (quiet_ms_ < options_.end_ms && length_ms_ < options_.max_utterance_ms) return Event::none;
  speaking_ = false;
  voiced_ms_ = 0;
  return Event::ended;
}

}  // namespace patchbay::engine_local
