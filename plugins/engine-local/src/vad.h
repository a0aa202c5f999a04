// Voice activity detection: finds the caller's utterances by level, with an energy gate above a tracked noise
// floor. One frame is 20 ms at 16 kHz.
#pragma once

#include <cstdint>

#include "engine/caller_audio.h"

namespace patchbay::engine_local {

struct VadOptions {
  int start_ms = 120;  // this much sound starts an utterance
  int end_ms = 600;    // this much silence ends it
  int max_utterance_ms = 15000;
  double margin_db = 9;    // above the noise floor
  double gate_dbfs = -45;  // and at least this
};

class Vad {
 public:
  enum class Event { none, started, ended };

  explicit Vad(VadOptions options = {}) : options_(options) {}

  Event push(const lib::CallerAudio::Frame& frame);
  bool speaking() const { return speaking_; }
  int voiced_ms() const { return voiced_ms_; }  // of the current utterance, or of sound that may start one

 private:
  const VadOptions options_;
  double floor_db_ = -60;
  bool speaking_ = false;
  int voiced_ms_ = 0;
  int quiet_ms_ = 0;
  int length_ms_ = 0;
};

}  // namespace patchbay::engine_local
