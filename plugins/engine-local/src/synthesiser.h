// Text to speech, offline, with flite, on one worker thread for all calls, because flite's voices are global.
// Flite is loaded with the first sentence.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/worker_queue.h"
#include "local_limits.h"

namespace patchbay::engine_local {

enum class FliteVoice { slt, rms, awb, kal16 };

// A flite voice and how it is modified.
struct Voice {
  FliteVoice base = FliteVoice::slt;
  float stretch = 1.0f;  // of durations: above 1 is slower
  float pitch = 1.0f;
};
Voice voice_of(std::string_view name);  // of lib::kVoices; unknown names get the default voice

class Synthesiser {
 public:
  static constexpr int kRateHz = 16000;

  // Ends the thread when for `unload_after` there was no sentence.
  explicit Synthesiser(std::chrono::milliseconds unload_after = kSynthesiserIdle);
  ~Synthesiser();  // drops queued sentences without calling back

  // Receives the samples of one sentence, on the worker thread; none if it cannot be spoken.
  using Done = std::function<void(std::vector<int16_t>)>;
  struct Sentence {
    std::string text;
    Done done;
  };
  // [any] Queues one text. Returns false, and never calls back, if the queue is full or the text is empty or
  // too long.
  bool speak(std::vector<Sentence> sentences, Voice voice);

 private:
  class Flite;

  std::unique_ptr<lib::WorkerQueue<Flite>> queue_;
};

}  // namespace patchbay::engine_local
