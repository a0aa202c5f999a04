// Text to speech, offline, with flite, on one thread of its own: its voices are shared by all calls.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace patchbay::engine_local {

enum class FliteVoice { slt, rms, awb, kal16 };

// A voice of the platform as the synthesiser makes it.
struct Voice {
  FliteVoice base = FliteVoice::slt;
  float stretch = 1.0f;  // of durations: above 1 is slower
  float pitch = 1.0f;
};
Voice voice_of(std::string_view name);  // of lib::kVoices; others sound like the default

class Synthesiser {
 public:
  static constexpr int kRateHz = 16000;
  static constexpr size_t kMaxSentences = 64;  // of one text
  // Sentences that may wait, of all calls; what comes later than that comes too late to be an answer.
  static constexpr size_t kMaxWaiting = 256;

  Synthesiser();
  ~Synthesiser();  // what is queued is dropped without its callback

  // What comes of one sentence, on the worker thread: nothing when it cannot be said.
  using Done = std::function<void(std::vector<int16_t>)>;
  struct Sentence {
    std::string text;
    Done done;
  };
  // [any] One text. False, and no callback, when it would have to wait behind too much, or is empty or too
  // long itself.
  bool speak(std::vector<Sentence> sentences, Voice voice);

 private:
  struct Job {
    Sentence sentence;
    Voice voice;
  };
  void run();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Job> jobs_;
  bool stop_ = false;
  std::thread worker_;
};

}  // namespace patchbay::engine_local
