// Speech to text, offline, with pocketsphinx: each utterance goes through a language model and through a
// grammar of the commands. Slow work (a tenth of the audio's length) on threads of its own, each with its own
// decoders.
#pragma once

#include <patchbay/result.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "intent.h"

namespace patchbay::engine_local {

struct Recognition {
  std::string text;  // by the language model; lower case, "" when nothing was heard
  Intent intent = Intent::none;
};

struct RecogniserOptions {
  std::string model_dir = "/usr/share/pocketsphinx/model/en-us";
  int workers = 1;  // each some 100 MB once it has worked
};

class Recogniser {
 public:
  explicit Recogniser(RecogniserOptions options = {});
  ~Recogniser();  // what is queued is dropped without its callback

  // [any] Loads the models if that was not done; the callback comes on a worker thread.
  void warm_up(std::function<void(Status)> done);
  // [any] 16 kHz samples of one utterance. An overloaded or broken recogniser hears nothing.
  void recognise(std::vector<int16_t> samples, std::function<void(Recognition)> done);

 private:
  class Decoders;
  using Job = std::function<void(Decoders&)>;
  void run();
  void enqueue(Job job);

  const RecogniserOptions options_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Job> jobs_;
  bool stop_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace patchbay::engine_local
